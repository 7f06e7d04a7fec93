/* See line_editor.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/line_editor.h"

#include "cli/screen.h"
#include "cli/terminal.h"
#include "support/or_abort.h"

#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HISTORY_LINES = 500, LINE_SIZE = 512, PROMPT_SIZE = 64 };

struct line_editor {
    EditLine *edit;
    History *history;
    FILE *file; /* of the history; NULL: none */
    line_editor_wait *wait;
    void *context;
    char prompt[PROMPT_SIZE], line[LINE_SIZE];
};

static struct line_editor *owner(EditLine *edit)
{
    void *editor = NULL;
    el_get(edit, EL_CLIENTDATA, &editor);
    return editor;
}

static char *prompt_of(EditLine *edit)
{
    return owner(edit)->prompt;
}

/* libedit's source of letters: bytes of standard input, one at a time. */
static int read_letter(EditLine *edit, wchar_t *out)
{
    struct line_editor *editor = owner(edit);
    unsigned char byte;
    if (!editor->wait(editor->context) || read(STDIN_FILENO, &byte, 1) != 1)
        return 0;
    *out = byte;
    return 1;
}

/* Appends a name to the path, and creates that folder of the user if it does not exist. */
static bool enter(char *path, size_t size, const char *name)
{
    size_t length = strlen(path);
    snprintf(path + length, size - length, "/%s", name);
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool find_folder(char *path, size_t size)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state == '/') {
        snprintf(path, size, "%s", state);
        return (mkdir(path, 0700) == 0 || errno == EEXIST) && enter(path, size, "postroad");
    }
    if (!home || *home != '/')
        return false;
    snprintf(path, size, "%s", home);
    return enter(path, size, ".local") && enter(path, size, "state") && enter(path, size, "postroad");
}

/* Opens the history file: only the user may read it, and no file of another user is written. */
static FILE *open_history(void)
{
    static const char name[] = "/console_history";
    char path[PATH_MAX];
    struct stat status;
    if (!find_folder(path, sizeof path - sizeof name))
        return NULL;
    int file = open(strcat(path, name), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    if (file < 0)
        return NULL;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() && fchmod(file, 0600) == 0)
        return fdopen(file, "r+");
    close(file);
    return NULL;
}

static void load_history(struct line_editor *editor)
{
    HistEvent event;
    while (editor->file && fgets(editor->line, sizeof editor->line, editor->file)) {
        editor->line[strcspn(editor->line, "\n")] = 0;
        if (*editor->line)
            history(editor->history, &event, H_ENTER, editor->line);
    }
}

/* The oldest first. */
static void save_history(struct line_editor *editor)
{
    HistEvent event;
    if (!editor->file)
        return;
    rewind(editor->file);
    if (ftruncate(fileno(editor->file), 0) == 0)
        for (int more = history(editor->history, &event, H_LAST); more == 0;
             more = history(editor->history, &event, H_PREV))
            fprintf(editor->file, "%s\n", event.str);
    fclose(editor->file);
}

struct line_editor *line_editor_create(const char *prompt, line_editor_wait *wait, void *context)
{
    HistEvent event;
    if (!isatty(STDIN_FILENO) || !terminal_can_draw(STDOUT_FILENO))
        return NULL;
    struct line_editor *editor = or_abort(calloc(1, sizeof *editor));
    *editor = (struct line_editor){.edit = or_abort(el_init_fd("postroad", stdin, screen_raw(), screen_raw(),
                                                               STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO)),
                                   .history = or_abort(history_init()),
                                   .wait = wait,
                                   .context = context};
    snprintf(editor->prompt, sizeof editor->prompt, "%s", prompt);
    history(editor->history, &event, H_SETSIZE, HISTORY_LINES);
    history(editor->history, &event, H_SETUNIQUE, 1);
    el_set(editor->edit, EL_CLIENTDATA, editor);
    el_set(editor->edit, EL_PROMPT, prompt_of);
    el_set(editor->edit, EL_EDITOR, "emacs");
    el_set(editor->edit, EL_HIST, history, editor->history);
    el_set(editor->edit, EL_GETCFN, read_letter);
    editor->file = open_history();
    load_history(editor);
    return editor;
}

void line_editor_destroy(struct line_editor *editor)
{
    if (!editor)
        return;
    save_history(editor);
    el_end(editor->edit);
    history_end(editor->history);
    free(editor);
}

const char *line_editor_read(struct line_editor *editor)
{
    HistEvent event;
    int length;
    const char *line = el_gets(editor->edit, &length);
    if (!line || length <= 0)
        return NULL;
    snprintf(editor->line, sizeof editor->line, "%s", line);
    editor->line[strcspn(editor->line, "\r\n")] = 0;
    if (*editor->line)
        history(editor->history, &event, H_ENTER, editor->line);
    return editor->line;
}

void line_editor_hide(struct line_editor *editor)
{
    (void)editor;
    screen_control(stdout, "\r\033[K");
}

void line_editor_show(struct line_editor *editor)
{
    el_set(editor->edit, EL_REFRESH);
}
