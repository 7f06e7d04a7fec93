/* See flash_folder.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool flash_folder_make(char folder[FLASH_FOLDER_PATH], char *error, size_t error_size)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, FLASH_FOLDER_PATH, "%s/postroad-flash.XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (mkdtemp(folder))
        return true;
    snprintf(error, error_size, "%s: %s", folder, strerror(errno));
    return false;
}

void flash_folder_remove(const char *folder)
{
    DIR *files = opendir(folder);
    const struct dirent *entry;
    while (files && (entry = readdir(files)))
        if (*entry->d_name != '.')
            unlinkat(dirfd(files), entry->d_name, 0);
    if (files)
        closedir(files);
    rmdir(folder);
}
