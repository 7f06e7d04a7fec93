/* Text form of the faults that a simulation injects: for --fault, its help and the manual.
 *
 *   corrupt:SHARE                      each word shown on any link is damaged with this probability
 *   corrupt:SITE.DIRECTION:SHARE       only words that SITE sends in DIRECTION
 *   link:SITE.DIRECTION:AT[:CLOCKS]    a cable is dead, both ways, from clock AT on: for CLOCKS, or for good
 *   reset:SITE:AT[:CLOCKS]             a site is held in reset for CLOCKS (16) and starts afresh
 *   stop:SITE:AT[:CLOCKS]              an operator does nothing for CLOCKS, or never again
 *
 * SITE: a number, or `any`: another one at random each time. DIRECTION: north, east, south, west; of a hypercube, the
 * number of a dimension. `link:any:AT` takes any cable. AT: a clock, or `~MEAN`: again and again, at random intervals
 * with that mean. SHARE: a decimal above 0, at most 1.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_FAULT_H
#define POSTROAD_MESH_FAULT_H

#include "mesh/mesh.h"

enum fault_kind { FAULT_CORRUPT, FAULT_LINK, FAULT_RESET, FAULT_STOP };
enum { FAULT_ANY = -1, FAULT_RESET_CLOCKS = 16 };

struct fault {
    enum fault_kind kind;
    int site;        /* FAULT_ANY: drawn each time; corrupt: all */
    int link;        /* corrupt and link; FAULT_ANY: the same */
    double share;    /* corrupt: probability for each word shown */
    bool repeated;   /* `at` is the mean of random intervals */
    uint64_t at;     /* clock */
    uint64_t clocks; /* how long, 0: for good */
};

/* Reads one specification for this mesh. 0, or -1 with "fault SPEC: reason, expected ..." in `error`. */
int fault_parse(const char *text, const struct mesh_config *mesh, struct fault *out, char *error, size_t error_size);

#endif
