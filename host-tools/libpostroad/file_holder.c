/* See file_holder.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "libpostroad/file_holder.h"

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 64, COMMAND_ROOM = 24 };

/* A device has many nodes, in containers too; what counts is its number. */
static bool is_same(const struct stat *one, const struct stat *other)
{
    bool devices = S_ISCHR(one->st_mode) && S_ISCHR(other->st_mode);
    return (devices && one->st_rdev == other->st_rdev) ||
           (one->st_dev == other->st_dev && one->st_ino == other->st_ino);
}

static bool holds(int process, const struct stat *file)
{
    char folder[PATH_ROOM];
    struct stat other;
    bool found = false;
    snprintf(folder, sizeof folder, "/proc/%d/fd", process);
    DIR *descriptors = opendir(folder);
    for (struct dirent *entry; descriptors && !found && (entry = readdir(descriptors));)
        found = fstatat(dirfd(descriptors), entry->d_name, &other, 0) == 0 && is_same(file, &other);
    if (descriptors)
        closedir(descriptors);
    return found;
}

int pr_file_holder(const char *path)
{
    struct stat file;
    int found = 0, place = open(path, O_PATH | O_CLOEXEC);
    bool there = place >= 0 && fstat(place, &file) == 0;
    if (place >= 0)
        close(place);
    if (!there)
        return 0;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && !found && (entry = readdir(processes));) {
        int process = atoi(entry->d_name);
        if (process > 0 && process != getpid() && holds(process, &file))
            found = process;
    }
    if (processes)
        closedir(processes);
    return found;
}

bool pr_process_name(int process, char out[PR_PROCESS_NAME])
{
    char path[PATH_ROOM], command[COMMAND_ROOM] = "?";
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/comm", process);
    FILE *file = process > 0 ? fopen(path, "re") : NULL;
    if (!file || fstat(fileno(file), &status) != 0) {
        if (file)
            fclose(file);
        return false;
    }
    if (fgets(command, sizeof command, file))
        command[strcspn(command, "\n")] = 0;
    fclose(file);
    const struct passwd *user = getpwuid(status.st_uid);
    if (user)
        snprintf(out, PR_PROCESS_NAME, "process %d (%s) of user %.32s", process, command, user->pw_name);
    else
        snprintf(out, PR_PROCESS_NAME, "process %d (%s) of user %u", process, command, (unsigned)status.st_uid);
    return true;
}
