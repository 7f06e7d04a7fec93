/* Many requests through one gateway: several are outstanding at a time, and a request is repeated if it or its answer
 * was lost.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_PIPELINED_REQUESTS_H
#define POSTROAD_CLI_PIPELINED_REQUESTS_H

#include "cli/gateway.h"

/* The number of requests that a node gets at the same time. Each request brings the node two packets, the
 * acknowledgement and the answer, and the node has at most eight buffers posted for receiving. With more requests the
 * node would discard packets on an idle mesh. */
enum { PIPELINED_REQUESTS_WINDOW = 2 };

struct pipelined_requests {
    const char *label;
    size_t count;
    unsigned window; /* requests outstanding at most; late ones do not count */
    bool once;       /* one try, with all of the time-out: for requests that may not be repeated */
    void *context;
    void (*request)(void *context, size_t index, struct pr_frame *out);
    /* False: the answer is not one to this request. */
    bool (*answer)(void *context, size_t index, const struct pr_frame *answer);
    /* Filled in. */
    size_t answered, silent, refused;
    int refusal; /* last status that was not ok */
};

/* Runs all requests. Returns EXIT_OK when every request is settled, even if some were silent or refused; otherwise the
 * exit code to end with, after printing the reason.
 *
 *                 four later answers, or a quarter of the time-out without any answer
 *     outstanding ------------------------------------------------------------------> late (does not hold up others)
 *          |  ^                                                                         |
 *   answer |  | half of the time-out without any answer: a second try                   | the same
 *          v  |                                                                         v
 *     answered, or refused                             silent, if the second try brings no answer either
 *
 * At most eight requests are outstanding. The quarter applies where the window is more than one: several sites in a row
 * may be silent. Because only a time without any answer counts, a slow mesh is not taken for a silent one, and gets no
 * request again while it still works. A node that is full (no buffer, no place in its window) gets its request again,
 * fewer at a time, until all of the time-out has passed with nothing but such refusals. If the node of the gateway is
 * silent too, no further request is made.
 */
int pipelined_requests_run(struct gateway *gateway, struct pipelined_requests *requests);

/* EXIT_OK if all requests were answered, EXIT_PARTIAL if some were, EXIT_TIMEOUT if none was. */
int pipelined_requests_exit_code(const struct pipelined_requests *requests);

#endif
