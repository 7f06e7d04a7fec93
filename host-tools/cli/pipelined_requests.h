/* A sweep: many requests through one gateway, several outstanding, repeated where a request or its answer got lost.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_PIPELINED_REQUESTS_H
#define POSTROAD_CLI_PIPELINED_REQUESTS_H

#include "cli/gateway.h"

/* Requests that a node is given at once. Each brings it two packets, the acknowledgement and the answer, and it has
 * eight buffers at most posted for receiving: with more requests it would discard packets on a mesh that has nothing
 * else to do.
 */
enum { SWEEP_WINDOW = 2 };

struct sweep {
    const char *label;
    size_t count;
    unsigned window; /* requests outstanding at most, not counting those that are late */
    bool once; /* requests to the gateway's node itself that may not be repeated: one try, and all of the time-out */
    void *context;
    void (*request)(void *context, size_t index, struct pr_frame *out);
    /* False: the answer is not one to this request. */
    bool (*answer)(void *context, size_t index, const struct pr_frame *answer);
    /* Filled in. */
    size_t answered, silent, refused;
    int refusal; /* last status that was not ok */
};

/* A request is late when four others have been answered since it was sent, so that a silent site does not hold up the
 * rest. Several sites in a row may be silent: when nothing has been answered for a quarter of the gateway's time-out,
 * all that are outstanding are late, where the window is more than one. There are eight outstanding at most. Time is up
 * for the requests outstanding when no answer at all has come for half of the time-out; each then gets a second try. So
 * a slow mesh is not taken for a silent one, and is not asked again while it still works. A node that is full (no
 * buffer, no place in its window) is asked again, fewer requests at once, until all of the time-out has passed with
 * nothing but such refusals. Where the gateway's own node is silent too, nothing more is asked. Returns EXIT_OK when
 * the sweep came to its end, even with silent or refused requests; else the exit code to end with, after printing why.
 */
int sweep_run(struct gateway *gateway, struct sweep *sweep);

/* EXIT_OK, EXIT_PARTIAL or EXIT_TIMEOUT, by how many answered. */
int sweep_exit_code(const struct sweep *sweep);

#endif
