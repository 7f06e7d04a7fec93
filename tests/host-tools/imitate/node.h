/* Answers of a console to the requests of host tools, with faults: of a mesh of nodes behind it, or of one board.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_HOST_TOOLS_IMITATE_NODE_H
#define POSTROAD_TESTS_HOST_TOOLS_IMITATE_NODE_H

#include "imitate.h"
#include "protocol.h"
#include "wire/console_messages.h"

enum { NODE_SITES_MAX = 4096, NODE_COUNTERS_MAX = 256 };

struct node_site {
    uint32_t silent, misplaced, deaf;    /* faults; deaf: no acknowledgement comes from it */
    uint32_t cut;                        /* links that it says are not connected */
    unsigned named;                      /* the pin of the last row, and one more */
    uint8_t strobes[PR_PROBE_MOST_PINS]; /* and one more: 0 is none */
};

struct node {
    struct pr_site_identity identity;
    bool alone;       /* a board: it answers as the site of its identity, else as any of a grid */
    uint32_t refused; /* requests of this type get an answer with this status, and no more; 0: none */
    uint32_t refusal;
    uint32_t mute, twice, quiet, old;
    uint32_t hostile;      /* its log text and its shell answer with what a terminal obeys */
    uint32_t garbage;      /* random bytes before every answer */
    uint32_t answers_left; /* until it dies; 0: it does not */
    uint32_t busy, full;   /* requests that are refused for want of a buffer, sends since the window is full */
    uint32_t slowness;     /* milliseconds of an answer */
    bool counted;          /* the counters of a site are these, and not a number of their own each */
    uint32_t counters[NODE_COUNTERS_MAX], growth[NODE_COUNTERS_MAX];
    unsigned pins, disturbed; /* probe pins; their choices that something else spoils */
    uint8_t listen;           /* PR_CONSOLE_LISTEN_* of its client */
    unsigned sequence;
    struct node_site sites[NODE_SITES_MAX];
};

void node_answer(struct node *node, int line, const struct pr_frame *request);

#endif
