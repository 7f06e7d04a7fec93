/* Runs one case, and says how it ended.
 *
 * A run ends when every packet has arrived and all is quiet, or when something has waited for much longer than any
 * time-out. Then the operators are taken away, and whatever reaches a site is thrown away there: what still cannot
 * leave the fabric waits for itself.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_DEADLOCK_SEARCH_DEADLOCK_RUN_H
#define POSTROAD_TESTS_DEADLOCK_SEARCH_DEADLOCK_RUN_H

#include "deadlock_case.h"

struct simulation;

enum deadlock_end {
    DEADLOCK_COMPLETE,
    DEADLOCK_STORAGE,  /* raw service: nothing moves, as every buffer of some sites is committed */
    DEADLOCK_FABRIC,   /* words in the fabric wait for each other */
    DEADLOCK_HELD,     /* nothing moves, though the fabric would and there are buffers */
    DEADLOCK_STARVED,  /* something moves, but one word has waited for very long */
    DEADLOCK_LIVELOCK, /* words move, but nothing arrives for very long */
    DEADLOCK_GIVEN_UP, /* reliable service: everything is settled and quiet, but a source gave up a target */
    DEADLOCK_LOST,     /* all is quiet, and something has not arrived */
    DEADLOCK_WRONG,    /* arrived twice, or where it should not */
    DEADLOCK_FAILED,   /* the run could not be made */
    DEADLOCK_ENDS
};

struct deadlock_result {
    enum deadlock_end end;
    uint64_t clocks;       /* of the run */
    uint64_t moved;        /* the clock in which a word moved last */
    uint64_t longest_wait; /* that a word spent on a link, to 32 clocks; 0 with simulators that have no words */
    uint64_t longest_way;  /* of a packet, from its source's operator to its last delivery */
    char detail[256];      /* of DEADLOCK_FAILED, _GIVEN_UP, _LOST and _WRONG */
};

/* Somebody who looks at a run; it is the same run. `clock` is called before every clock that is run, `stalled` when it
 * is clear that something is wrong, `emptied` when what can leave the fabric has left it. Any may be NULL. */
struct deadlock_observer {
    void (*clock)(void *context, const struct simulation *simulation);
    void (*stalled)(void *context, struct simulation *simulation);
    void (*emptied)(void *context, struct simulation *simulation);
    void *context;
    const char *waves; /* FST file, or NULL; then nothing can be observed */
};

const char *deadlock_end_name(enum deadlock_end end);

/* observer: NULL for none. */
void deadlock_run(const struct deadlock_case *drawn, const struct deadlock_observer *observer,
                  struct deadlock_result *result);

/* Index in the case's packets of the one that this source's operator gave this sequence number, -1 if there is none.
 * Only from an observer's functions. */
int deadlock_packet(const struct simulation *simulation, unsigned source, unsigned sequence);

#endif
