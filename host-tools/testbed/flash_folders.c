/* See flash_folders.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_folders.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder for locks that no other user can write to: BASE-flash, beside the run directories. */
static bool make_lock_folder(char *out, size_t size, char *error, size_t error_size)
{
    struct stat status;
    if (!pr_run_directory_base(out, size - sizeof "-flash")) {
        snprintf(error, error_size, "XDG_RUNTIME_DIR is too long");
        return false;
    }
    strcat(out, "-flash");
    if (mkdir(out, 0700) != 0 && errno != EEXIST) {
        snprintf(error, error_size, "%s: %s", out, strerror(errno));
        return false;
    }
    if (lstat(out, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() && !(status.st_mode & 022))
        return true;
    snprintf(error, error_size, "%s: expected a folder of this user alone", out);
    return false;
}

static bool make_work_folder(char *out, size_t size, char *error, size_t error_size)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(out, size, "%s/postroad-flash.XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (mkdtemp(out))
        return true;
    snprintf(error, error_size, "%s: %s", out, strerror(errno));
    return false;
}

bool flash_folders_make(struct flash_folders *folders, char *error, size_t error_size)
{
    return make_lock_folder(folders->lock, sizeof folders->lock, error, error_size) &&
           make_work_folder(folders->work, sizeof folders->work, error, error_size);
}

void flash_folders_remove(const struct flash_folders *folders)
{
    DIR *folder = opendir(folders->work);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (*entry->d_name != '.')
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(folders->work);
}
