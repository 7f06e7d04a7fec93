/* The settings that a running mesh was started with: RUNDIR/about, which its daemon writes and `postroad list` reads.
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

/* Writes all fields except `ready`, which about_ready adds. False, with errno: the write failed. */
bool about_write(const char *directory, const struct about *about);
bool about_ready(const char *directory);

/* Reads the file; all zeroes if there is none. */
void about_read(const char *directory, struct about *out);

#endif
