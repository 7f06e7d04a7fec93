/* What a mesh that is up was started from: RUNDIR/about, which its daemon writes and `postroad list` reads.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_ABOUT_H
#define POSTROAD_CLI_ABOUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

enum { ABOUT_NODES_SIZE = 64 };

struct about {
    char mesh[PATH_MAX];          /* the .mesh file; "": not known */
    char nodes[ABOUT_NODES_SIZE]; /* what runs the firmware, as --nodes has it */
    int sites;                    /* 0: not known */
    time_t since;                 /* 0: not known */
    bool ready;                   /* its sites have started */
};

/* Writes all but `ready`; about_ready adds that. False, with errno: that failed. */
bool about_write(const char *directory, const struct about *about);
bool about_ready(const char *directory);

/* All zeroes where there is nothing to read. */
void about_read(const char *directory, struct about *out);

#endif
