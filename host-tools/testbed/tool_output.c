/* See tool_output.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/tool_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { SLICE_S = 1 };

/* Starts it, its output in a pipe; returns the other end, or -1 with errno. */
static int start(char *const *argv, bool errors, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (errors)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    int failure = posix_spawnp(child, argv[0], &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);
    if (failure == 0)
        return ends[0];
    close(ends[0]);
    errno = failure;
    return -1;
}

/* Waits for output for a part of the patience that is left, at most; less than asked for is taken off if the process
 * was stopped meanwhile. False: there is no patience left. */
static bool await_output(int output, double *patience)
{
    struct pollfd wait = {.fd = output, .events = POLLIN};
    while (*patience > 0) {
        double slice = *patience < SLICE_S ? *patience : SLICE_S;
        if (poll(&wait, 1, (int)(slice * 1000) + 1) > 0)
            return true;
        *patience -= slice;
    }
    return false;
}

int tool_output(char *const *argv, bool errors, double patience, char *out, size_t size)
{
    char rest[4096];
    size_t used = 0;
    ssize_t count;
    int status;
    pid_t child;
    bool in_time;
    int output = start(argv, errors, &child);
    *out = 0;
    if (output < 0)
        return -1;
    do {
        bool full = used + 1 == size;
        count = 0;
        in_time = await_output(output, &patience);
        if (in_time)
            count = read(output, full ? rest : out + used, full ? sizeof rest : size - 1 - used);
        if (count > 0 && !full)
            used += (size_t)count;
    } while (in_time && (count > 0 || (count < 0 && errno == EINTR)));
    out[used] = 0;
    close(output);
    if (!in_time)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    errno = in_time ? ECHILD : ETIMEDOUT;
    return in_time && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool tool_exists(const char *name)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];
    for (const char *at = path ? path : ""; *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)length, at, name);
        if (access(file, X_OK) == 0)
            return true;
        at += length;
    }
    return false;
}
