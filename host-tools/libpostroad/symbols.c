/* See symbols.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "libpostroad/symbols.h"

#include "support/shown_text.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_SIZE = 1024 };

static const char program[] = "riscv64-unknown-elf-addr2line";

/* The output of addr2line: the function on one line, FILE:LINE on the next. False: addr2line did not run to its end. */
static int ask(const char *elf, uint32_t address, char *text, size_t size)
{
    extern char **environ;
    char number[16];
    const char *arguments[] = {program, "-f", "-e", elf, number, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], status = -1;
    size_t used = 0;
    ssize_t count = 1;
    pid_t child;
    snprintf(number, sizeof number, "0x%x", (unsigned)address);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&child, program, &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    while (!failed && used + 1 < size && (count = read(ends[0], text + used, size - 1 - used)) > 0)
        used += (size_t)count;
    text[used] = 0;
    close(ends[0]);
    if (!failed)
        waitpid(child, &status, 0);
    return failed ? -1 : status;
}

void pr_symbols_find(const char *elf, uint32_t address, char *out, size_t size)
{
    char text[ANSWER_SIZE] = "", *rest = text;
    if (access(elf, R_OK) != 0) {
        snprintf(out, size, "unknown: %s cannot be read", elf);
        return;
    }
    if (ask(elf, address, text, sizeof text) != 0) {
        snprintf(out, size, "unknown: %s does not say", program);
        return;
    }
    const char *function = strsep(&rest, "\n"), *line = rest ? strsep(&rest, "\n ") : "??:0";
    if (*function == '?')
        snprintf(out, size, "no function of the image");
    else
        snprintf(out, size, "%s (%s)", function, line);
    shown_text_line(out); /* names of an image that others have built */
}
