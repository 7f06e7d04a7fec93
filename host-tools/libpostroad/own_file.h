/* Opening what must be this user's alone. Another user can make any name in /tmp first: what is opened is looked at
 * afterwards, through its descriptor, and symbolic links are not followed.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_OWN_FILE_H
#define POSTROAD_LIBPOSTROAD_OWN_FILE_H

#include <stddef.h>

/* A directory of this user that no other can write to: a descriptor to reach its files by (O_PATH). -1 with the reason
 * in error, which begins with `path`; "" if there is nothing of that name. */
int pr_own_directory_open(int at, const char *name, const char *path, char *error, size_t error_size);

/* The same for a plain file, with flags for open(); O_CREAT makes one that only this user may read. */
int pr_own_file_open(int at, const char *name, const char *path, int flags, char *error, size_t error_size);

#endif
