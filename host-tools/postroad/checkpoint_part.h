/* One file of a checkpoint: the fixed run memory of one rank (support/run_memory.h), but for pages of zeroes.
 *
 *   header | first page, pages | their bytes | first page, pages | their bytes | ... | first page 0, 0 pages
 *
 * What is read becomes pointers. So a file counts only if it belongs to this user, no other can write to it, its
 * checksum is right, and it is of this very program: of the same build, at the same address.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_CHECKPOINT_PART_H
#define POSTROAD_POSTROAD_CHECKPOINT_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct checkpoint_part {
    uint64_t clock;
    uint32_t rank, ranks;
    double seconds_spent; /* processor time */
    uint64_t checksum;    /* CRC-32 of all behind the header; written and read */
};

/* The build of this program, in hexadecimal digits. */
enum { CHECKPOINT_BUILD = 41 };
void checkpoint_build(char out[CHECKPOINT_BUILD]);

/* Writes run memory into a file of this name in a folder, and to the disk: `path` names it in errors. False: a reason
 * is in `error`, and the file is gone. */
bool checkpoint_part_write(int folder, const char *name, const char *path, struct checkpoint_part *part, char *error,
                           size_t error_size);

/* Fixes run memory and fills it. Clock, rank and ranks have to be those of *part, whose other members are filled in.
 * False: a reason is in `error`, and no run can be started in this process. */
bool checkpoint_part_read(int folder, const char *name, const char *path, struct checkpoint_part *part, char *error,
                          size_t error_size);

#endif
