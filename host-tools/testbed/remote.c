/* See remote.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/remote.h"
#include "support/or_abort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCK_PATIENCE_S = 5 };

/* In single quotes, in which only a single quote is special; words of plain characters stay as they are. */
static void quote(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, out);
        return;
    }
    putc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            putc(*word, out);
    putc('\'', out);
}

static void begin_with(const char *options, const char *host, struct programmer_command *out)
{
    *out = (struct programmer_command){.count = 0};
    programmer_add_words(out, "ssh -T -o BatchMode=yes -o ConnectTimeout=10");
    programmer_add_words(out, options);
    programmer_add(out, "--");
    programmer_add(out, "%s", host);
}

static void begin(const char *host, struct programmer_command *out)
{
    begin_with("", host, out);
}

/* A host that falls silent is given up after 20 seconds. */
static void begin_console(const char *host, struct programmer_command *out)
{
    begin_with("-o ServerAliveInterval=5 -o ServerAliveCountMax=3", host, out);
}

static void finish(struct programmer_command *out, FILE *file, char **text)
{
    if (fclose(file) != 0)
        abort();
    programmer_add(out, "%s", *text);
    free(*text);
}

static FILE *open_text(char **text, size_t *size)
{
    FILE *file = or_abort(open_memstream(text, size));
    return file;
}

void remote_keep_lock(const char *host, const char *node, struct programmer_command *out)
{
    char *text;
    size_t size;
    FILE *script = open_text(&text, &size);
    begin(host, out);
    fputs("exec 9<", script);
    quote(script, node);
    fprintf(script, "; flock -x -w %d -E %d 9 && flock -s -w %d -E %d 9 || exit; echo '%s'; exec cat >/dev/null",
            LOCK_PATIENCE_S, REMOTE_BUSY, LOCK_PATIENCE_S, REMOTE_BUSY, REMOTE_LOCKED);
    finish(out, script, &text);
}

void remote_command(const char *host, const char *node, const struct programmer_command *command,
                    enum programmer_action action, struct programmer_command *out)
{
    char *text;
    size_t size;
    const char *end = ".bin";
    FILE *script = open_text(&text, &size);
    begin(host, out);
    for (unsigned k = 0; k < command->count; k++)
        if (*command->argv[k] == *REMOTE_FILE)
            end = command->argv[k] + 1;
    fputs("d=$(mktemp -d) && trap 'rm -rf \"$d\"' EXIT && trap 'exit 1' HUP INT TERM && ", script);
    if (action != PROGRAMMER_READ)
        fprintf(script, "cat >\"$d/f%s\" && ", end);
    if (*node) {
        fprintf(script, "flock -s -w %d -E %d ", LOCK_PATIENCE_S, REMOTE_BUSY);
        quote(script, node);
        putc(' ', script);
    }
    for (unsigned k = 0; k < command->count; k++) {
        if (*command->argv[k] == *REMOTE_FILE)
            fprintf(script, "\"$d/f%s\"", end);
        else
            quote(script, command->argv[k]);
        putc(' ', script);
    }
    if (action == PROGRAMMER_READ)
        fprintf(script, "1>&2 && cat \"$d/f%s\"", end);
    else
        fputs("</dev/null", script);
    finish(out, script, &text);
}

void remote_console(const char *host, const char *tty, int baud, struct programmer_command *out)
{
    char *text;
    size_t size;
    FILE *script = open_text(&text, &size);
    begin_console(host, out);
    fputs("t=", script);
    quote(script, tty);
    fprintf(script, "; exec postroad line \"tty:$t@%d\"", baud);
    finish(out, script, &text);
}

void remote_sought_console(const char *host, int baud, struct programmer_command *out)
{
    begin_console(host, out);
    programmer_add(out,
                   "postroad boards --json && echo && echo '%s' && IFS= read -r t && exec postroad line \"tty:$t@%d\"",
                   REMOTE_LISTED, baud);
}

void remote_quote_line(const struct programmer_command *command, char *out, size_t size)
{
    char *text;
    size_t length;
    FILE *line = open_text(&text, &length);
    for (unsigned k = 0; k < command->count; k++) {
        if (k)
            putc(' ', line);
        quote(line, command->argv[k]);
    }
    if (fclose(line) != 0)
        abort();
    snprintf(out, size, "%s", text);
    free(text);
}
