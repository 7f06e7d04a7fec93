/* See install_paths.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "support/install_paths.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char install_paths_no_top[] =
    "no sim/rules.mk above this program, expected the project's tree, which belongs to this user or to root and which no "
    "other can write to";

/* Nobody else can have put there what runs as this user. */
static bool is_trusted(const char *folder, const char *name)
{
    char path[PATH_MAX + 16];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0) &&
           !(status.st_mode & S_IWOTH);
}

/* Removes folders from the end of `path` until the remaining folder contains sim/rules.mk. */
static bool climb(char *path)
{
    static const char *const looked_at[] = {"", "Makefile", "sim", "sim/rules.mk"};
    char probe[PATH_MAX + 16];
    for (;;) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return false;
        *slash = 0;
        snprintf(probe, sizeof probe, "%s/sim/rules.mk", path);
        if (access(probe, R_OK) == 0)
            break;
    }
    for (size_t i = 0; i < sizeof looked_at / sizeof *looked_at; i++)
        if (!is_trusted(path, looked_at[i]))
            return false;
    return true;
}

int install_paths_top(char *out, size_t size)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    if (!climb(path) || strlen(path) >= size)
        return -1;
    strcpy(out, *path ? path : "/");
    return 0;
}

bool install_paths_installed(char *out, size_t size)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    for (int parts = 0; parts < 2; parts++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return false;
        *slash = 0;
    }
    int used = snprintf(out, size, "%s/lib/postroad", path);
    return used > 0 && (size_t)used < size && access(out, X_OK) == 0;
}

int install_paths_built(char *out, size_t size)
{
    static const char name[] = "/build";
    if (install_paths_installed(out, size))
        return 0;
    if (size < sizeof name || install_paths_top(out, size - sizeof name) != 0)
        return -1;
    strcat(out, name);
    return 0;
}

int install_paths_boards(char *out, size_t size)
{
    static const char beside[] = "/../../share/postroad/boards", name[] = "/boards";
    if (size >= sizeof beside && install_paths_installed(out, size - sizeof beside)) {
        strcat(out, beside);
        return 0;
    }
    if (size < sizeof name || install_paths_top(out, size - sizeof name) != 0)
        return -1;
    strcat(out, name);
    return 0;
}

int install_paths_image(const char *asked, const char *name, const char *goal, char *out, size_t size, char *error,
                        size_t error_size)
{
    size_t room = size - strlen(name) - 1;
    *out = 0;
    if (asked)
        snprintf(out, size, "%s", asked);
    else if (install_paths_built(out, room) == 0)
        snprintf(out + strlen(out), size - strlen(out), "/%s", name);
    if (access(out, R_OK) == 0)
        return 0;
    snprintf(error, error_size, "%s: cannot be read, expected a firmware image (make %s)", out, goal);
    return -1;
}
