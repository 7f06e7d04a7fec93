/* Opening files and directories that must belong to this user alone. Another user can create any name in /tmp first.
 * Owner and mode are therefore checked after the opening, through the descriptor, and symbolic links are not followed.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_OWN_FILE_H
#define POSTROAD_LIBPOSTROAD_OWN_FILE_H

#include <stddef.h>

/* Opens a directory of this user that no other user can write to, and returns an O_PATH descriptor through which its
 * files are reached. -1 with the reason in error, which begins with `path`; the reason is "" if the name does not
 * exist. */
int pr_own_directory_open(int at, const char *name, const char *path, char *error, size_t error_size);

/* The same for a plain file, with flags for open(). O_CREAT creates a file that only this user may read. */
int pr_own_file_open(int at, const char *name, const char *path, int flags, char *error, size_t error_size);

#endif
