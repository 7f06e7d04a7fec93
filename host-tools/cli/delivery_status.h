/* The delivery status of packets that a node has accepted: in a reliable mesh its operator reports for each target
 * whether the target acknowledged.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_DELIVERY_STATUS_H
#define POSTROAD_CLI_DELIVERY_STATUS_H

#include "cli/gateway.h"
#include "cli/site_set.h"

struct cJSON;

enum delivery_end {
    DELIVERY_DELIVERED,
    DELIVERY_TIME_OUT,
    DELIVERY_RESTARTED,
    DELIVERY_NO_REASON,
    DELIVERY_UNKNOWN,
    DELIVERY_ENDS
};

/* Of one packet. */
struct packet_status {
    unsigned sequence;
    uint32_t accepted; /* clock */
    bool settled;
    unsigned failures;
    uint8_t *ends;      /* by place in the set of targets: enum delivery_end */
    struct cJSON *json; /* the packet's object, or NULL: print lines */
};

struct delivery_status {
    struct gateway *gateway;
    const struct site_set *targets;
    bool quiet;
    struct packet_status *open; /* accepted and not settled, in their order */
    size_t open_count, room;
    unsigned long delivered, failed, unknown; /* targets, all packets together */
    double heard;                             /* when a packet was last accepted or settled */
};

/* Requests the gateway's node to report outcomes, and waits for its agreement. Returns EXIT_OK, or the exit code to end
 * with. */
int delivery_status_begin(struct delivery_status *deliveries, struct gateway *gateway, const struct site_set *targets,
                          bool quiet);

/* To be called when the node has accepted a packet; json stays the caller's. */
void delivery_status_accepted(struct delivery_status *deliveries, unsigned sequence, uint32_t clock,
                              struct cJSON *json);

/* Waits until every accepted packet is settled. It gives up when no packet was settled within the gateway's time-out.
 * Returns EXIT_OK even if some packets are not settled; otherwise the exit code to end with. */
int delivery_status_wait(struct delivery_status *deliveries);

/* Prints the known status of the packets that are not settled, and frees everything. */
void delivery_status_end(struct delivery_status *deliveries);

/* EXIT_OK: every target acknowledged; EXIT_PARTIAL: some did; EXIT_MISMATCH: none did; EXIT_TIMEOUT: some outcomes are
 * unknown. */
int delivery_status_exit_code(const struct delivery_status *deliveries);

#endif
