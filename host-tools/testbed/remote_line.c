/* See remote_line.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/remote_line.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/or_abort.h"
#include "testbed/remote.h"
#include "testbed/usb_scan_host.h"

extern char **environ;

enum { CHUNK = 4096 };

/* The daemon blocks signals and ignores SIGPIPE; ssh does not. */
static int spawn(char *const *argv, int ends, int errors, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigemptyset(&all);
    sigaddset(&all, SIGPIPE);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    int failure = posix_spawnp(process, argv[0], &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failure;
}

int remote_line_start(struct remote_line *line, const char *host, int baud, char *error, size_t error_size)
{
    struct programmer_command command;
    int ends[2], errors[2];
    *line = (struct remote_line){.process = 0, .errors = -1, .text = or_abort(malloc(USB_LIST_TEXT))};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 || pipe2(errors, O_CLOEXEC) != 0) {
        snprintf(error, error_size, "cannot start ssh: %s", strerror(errno));
        remote_line_end(line);
        return -1;
    }
    remote_sought_console(host, baud, &command);
    int failure = spawn(command.argv, ends[1], errors[1], &line->process);
    close(ends[1]);
    close(errors[1]);
    line->errors = errors[0];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fcntl(errors[0], F_SETFL, O_NONBLOCK);
    if (failure == 0)
        return ends[0];
    snprintf(error, error_size, "cannot start ssh: %s", strerror(failure));
    line->process = 0;
    close(ends[0]);
    remote_line_end(line);
    return -1;
}

void remote_line_end(struct remote_line *line)
{
    /* Killed, because it may be waiting for a host that is silent, and nothing here may wait for it. What runs at the
     * other host ends with its input. */
    if (line->process > 0) {
        kill(line->process, SIGKILL);
        waitpid(line->process, NULL, 0);
    }
    if (line->errors >= 0)
        close(line->errors);
    free(line->text);
    *line = (struct remote_line){.process = 0, .errors = -1};
}

/* The last line that it has said on standard error. What the other host says must do no harm on a terminal. */
static int explain_end(const struct remote_line *line, char *error, size_t error_size)
{
    char said[CHUNK];
    ssize_t count = read(line->errors, said, sizeof said - 1);
    said[count > 0 ? count : 0] = 0;
    for (char *at = said; *at; at++)
        if (*at != '\n' && !isprint((unsigned char)*at))
            *at = *at == '\r' ? '\n' : '?';
    size_t length = strlen(said);
    while (length && said[length - 1] == '\n')
        said[--length] = 0;
    const char *last = strrchr(said, '\n');
    snprintf(error, error_size, "%.*s", REMOTE_REASON,
             length ? (last ? last + 1 : said) : "ssh ended without a reason");
    return -1;
}

/* What has arrived is added to the text, no more than `limit` bytes. 1, 0: nothing is there, -1: it has ended. */
static int take(struct remote_line *line, int descriptor, size_t limit)
{
    size_t room = USB_LIST_TEXT - 1 - line->used;
    ssize_t count = read(descriptor, line->text + line->used, room < limit ? room : limit);
    if (count > 0)
        line->used += (size_t)count;
    line->text[line->used] = 0;
    return count > 0 ? 1 : count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

static bool ends_with(const struct remote_line *line, const char *end)
{
    size_t length = strlen(end);
    return line->used >= length && memcmp(line->text + line->used - length, end, length) == 0;
}

/* The list is there: the tty is asked for. */
static int answer(struct remote_line *line, int descriptor,
                  const char *(*choose)(void *context, const struct usb_list *list, char *error, size_t error_size),
                  void *context, char *error, size_t error_size)
{
    struct usb_list list;
    char reply[USB_TEXT + 1] = "";
    if (!usb_list_parse(line->text, &list)) {
        snprintf(error, error_size, "`postroad boards --json` prints no list of devices there");
        return -1;
    }
    const char *tty = choose(context, &list, error, error_size);
    if (tty)
        snprintf(reply, sizeof reply, "%s\n", tty);
    usb_list_free(&list);
    if (!tty)
        return -2;
    line->used = 0;
    line->chosen = true;
    if (write(descriptor, reply, strlen(reply)) == (ssize_t)strlen(reply))
        return 0;
    return explain_end(line, error, error_size);
}

int remote_line_go_on(struct remote_line *line, int descriptor,
                      const char *(*choose)(void *context, const struct usb_list *list, char *error, size_t error_size),
                      void *context, char *error, size_t error_size)
{
    int taken = 1;
    while (taken > 0) {
        /* What comes behind LINE_JOINED is the node's. */
        taken = take(line, descriptor, line->chosen ? 1 : CHUNK);
        if (line->chosen && ends_with(line, LINE_JOINED "\n")) {
            free(line->text);
            line->text = NULL;
            return 1;
        }
        if (!line->chosen && ends_with(line, REMOTE_LISTED "\n")) {
            int status = answer(line, descriptor, choose, context, error, error_size);
            if (status < 0)
                return status;
        }
    }
    return taken < 0 ? explain_end(line, error, error_size) : 0;
}
