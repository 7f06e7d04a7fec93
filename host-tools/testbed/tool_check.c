/* See tool_check.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/tool_check.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE_SIZE = 512, PATIENCE_S = 10, PATH_ROOM = PATH_MAX + 320 };

bool tool_is_there(const char *program)
{
    char folders[PATH_MAX], path[PATH_ROOM], *rest;
    snprintf(folders, sizeof folders, "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
    for (char *folder = strtok_r(folders, ":", &rest); folder; folder = strtok_r(NULL, ":", &rest)) {
        snprintf(path, sizeof path, "%s/%s", folder, program);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* In the child. The alarm outlives exec. */
static void run_tool(const char *program, const char *option, int output)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    alarm(PATIENCE_S);
    execlp(program, program, option, (char *)NULL);
    _exit(127);
}

bool tool_lists(const char *program, const char *option, const char *word)
{
    char line[LINE_SIZE];
    int ends[2];
    bool found = false;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t child = fork();
    if (child == 0)
        run_tool(program, option, ends[1]);
    close(ends[1]);
    FILE *output = fdopen(ends[0], "r");
    while (output && fgets(line, sizeof line, output))
        found = found || (strncmp(line, word, strlen(word)) == 0 && isspace((unsigned char)line[strlen(word)]));
    if (output)
        fclose(output);
    if (child > 0)
        waitpid(child, NULL, 0);
    return found;
}

/* Has the process this file open? */
static bool holds(const char *process, const struct stat *file)
{
    char folder[PATH_ROOM], path[PATH_ROOM + 300];
    struct stat other;
    bool found = false;
    snprintf(folder, sizeof folder, "/proc/%s/fd", process);
    DIR *descriptors = opendir(folder);
    for (struct dirent *entry; descriptors && !found && (entry = readdir(descriptors));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        found = stat(path, &other) == 0 && S_ISCHR(other.st_mode) && other.st_rdev == file->st_rdev;
    }
    if (descriptors)
        closedir(descriptors);
    return found;
}

bool tool_holder_of(const char *path, char *out, size_t size)
{
    struct stat file;
    bool found = false;
    if (!*path || stat(path, &file) != 0 || !S_ISCHR(file.st_mode))
        return false;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && !found && (entry = readdir(processes));) {
        char name[PATH_ROOM], command[TOOL_NAME] = "a program";
        if (!isdigit((unsigned char)*entry->d_name) || !holds(entry->d_name, &file))
            continue;
        snprintf(name, sizeof name, "/proc/%s/comm", entry->d_name);
        FILE *comm = fopen(name, "re");
        if (comm && fgets(command, sizeof command, comm))
            command[strcspn(command, "\n")] = 0;
        if (comm)
            fclose(comm);
        snprintf(out, size, "%.30s (%.12s)", command, entry->d_name);
        found = true;
    }
    if (processes)
        closedir(processes);
    return found;
}
