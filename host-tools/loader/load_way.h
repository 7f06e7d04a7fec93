/* A way by which load records go to boot programs:
 *
 *   load_exchange   packets through a carrier, to many sites at once
 *   load_line       the serial line of a board, to its own site
 *
 * A record that comes twice changes nothing, so that a way repeats those that get no answer.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LOADER_LOAD_WAY_H
#define POSTROAD_LOADER_LOAD_WAY_H

#include "loader/load_records.h"

#include <stdbool.h>

struct load_target {
    unsigned site;
    bool lost;   /* has not answered for the time-out: it gets no more records */
    bool wanted; /* gets the next record; set by the caller */
    char answer; /* to the last record that it got: PR_LOAD_*; 0: none */
    bool told;   /* to start the image: only its answer may be missing */
};

struct load_way {
    struct load_target *targets; /* the caller's */
    size_t count;
    unsigned room;                  /* words of RAM that a data record may have */
    const struct load_target *last; /* starts behind the others, which it serves; NULL: none */
    unsigned long sent, repeats;    /* packets or frames; of these not for the first time */

    /* Sends the record to all targets that are wanted and not lost. Targets that stay silent are lost behind it.
     * EXIT_OK, or the exit code to end with, after printing why. */
    int (*send)(struct load_way *way, const struct load_record *record);

    /* The same for a record that is not answered: it may return before the record is there, and targets may not get it.
     * NULL: the way has no such. */
    int (*cast)(struct load_way *way, const struct load_record *record);
};

/* True if the next record goes to the target. */
static inline bool load_way_is_wanted(const struct load_target *target)
{
    return target->wanted && !target->lost;
}

#endif
