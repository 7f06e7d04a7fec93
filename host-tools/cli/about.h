/* The settings that a running mesh was started with: RUNDIR/about, which its daemon writes, and which `postroad list`
 * and `postroad load` read. No other file has the format, or the words in it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_ABOUT_H
#define POSTROAD_CLI_ABOUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { ABOUT_NODES_SIZE = 64, ABOUT_KEY_SIZE = 65 };

/* What runs the firmware: boards on serial lines, real ones and simulated ones. Of other meshes the field `nodes` is as
 * the option --nodes of `postroad up` has it. */
#define ABOUT_BOARDS    "boards"
#define ABOUT_BITSTREAM "bitstream"

struct about {
    char mesh[PATH_MAX];          /* the .mesh file; "": not known */
    char nodes[ABOUT_NODES_SIZE]; /* what runs the firmware */
    int sites;                    /* 0: not known */
    time_t since;                 /* 0: not known */
    char key[ABOUT_KEY_SIZE];     /* hexadecimal digits: the testbed is locked with this public key; "": it is not */
    uint32_t oldest;              /* earliest version of an image that its boards accept */
    bool ready;                   /* its sites have started */
};

/* Writes all fields except `ready`, which about_ready adds. False, with errno: the write failed. */
bool about_write(const char *directory, const struct about *about);
bool about_ready(const char *directory);

/* Reads the file; all zeroes if there is none. */
void about_read(const char *directory, struct about *out);

/* True if the sites are boards, real or simulated. */
bool about_has_boards(const struct about *about);

#endif
