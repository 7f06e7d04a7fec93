/* Which process has a file open, and how it is named to a user.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_FILE_HOLDER_H
#define POSTROAD_LIBPOSTROAD_FILE_HOLDER_H

#include <stdbool.h>
#include <stddef.h>

enum { PR_PROCESS_NAME = 96 };

/* Another process that has the file or the device open; 0: none that this user can see. */
int pr_file_holder(const char *path);

/* "process 12 (postroad) of user me". False: there is no such process. */
bool pr_process_name(int process, char out[PR_PROCESS_NAME]);

#endif
