/* Requests to send load packets, some of them under way at once at the gateway's console:
 *
 *   put --- under way --- accepted: the place is free for another request
 *              ^  |
 *              |  | the node's buffers are full
 *            repeated, until the time-out
 *
 * A node's UART keeps what its core has not read yet, and loses the rest. The requests that are under way fit there.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LOADER_LOAD_REQUESTS_H
#define POSTROAD_LOADER_LOAD_REQUESTS_H

#include "cli/gateway.h"

enum {
    LOAD_REQUESTS_MAX = 4,    /* under way at once */
    LOAD_REQUESTS_BYTES = 511 /* of those that are: what a board's UART keeps (CONSOLE_DEPTH of hw/mesh/board_site.v) */
};

struct load_request {
    enum { LOAD_REQUEST_FREE, LOAD_REQUEST_UNDER_WAY, LOAD_REQUEST_ANSWERED } state;
    struct pr_frame frame;
    size_t bytes; /* on the line */
    double deadline;
    int status; /* of its answer; negative: there was none */
};

struct load_requests {
    struct gateway *gateway;
    double timeout; /* seconds */
    struct load_request places[LOAD_REQUESTS_MAX];
};

/* Waits for room, and requests the packet. EXIT_OK, or the exit code to end with, after printing why; so both. */
int load_requests_put(struct load_requests *requests, const struct pr_message_send *packet);

/* Waits until all packets have been accepted. */
int load_requests_finish(struct load_requests *requests);

#endif
