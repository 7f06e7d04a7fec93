/* What becomes of the packets that a node was given: in a reliable mesh its operator says of each target whether it
 * acknowledged.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_DELIVERY_STATUS_H
#define POSTROAD_CLI_DELIVERY_STATUS_H

#include "cli/gateway.h"
#include "cli/site_set.h"

struct cJSON;

enum outcome_end {
    OUTCOME_DELIVERED,
    OUTCOME_TIME_OUT,
    OUTCOME_RESTARTED,
    OUTCOME_NO_REASON,
    OUTCOME_UNKNOWN,
    OUTCOME_ENDS
};

/* Of one packet. */
struct outcome {
    unsigned sequence;
    uint32_t accepted; /* clock */
    bool settled;
    unsigned failures;
    uint8_t *ends;      /* by place in the set of targets: enum outcome_end */
    struct cJSON *json; /* the packet's object, or NULL: print lines */
};

struct outcomes {
    struct gateway *gateway;
    const struct site_set *targets;
    bool quiet;
    struct outcome *open; /* accepted and not settled, in their order */
    size_t open_count, room;
    unsigned long delivered, failed, unknown; /* targets, all packets together */
    double heard;                             /* when a packet was last accepted or settled */
};

/* Asks the gateway's node to tell, and waits until it has agreed. EXIT_OK, or the exit code to end with. */
int outcomes_begin(struct outcomes *outcomes, struct gateway *gateway, const struct site_set *targets, bool quiet);

/* The node has accepted a packet; json stays the caller's. */
void outcomes_accepted(struct outcomes *outcomes, unsigned sequence, uint32_t clock, struct cJSON *json);

/* Waits until every accepted packet is settled, as long as one is within the gateway's time-out. EXIT_OK even if not
 * all are; else the exit code to end with. */
int outcomes_wait(struct outcomes *outcomes);

/* Tells what is known of packets that are not settled, and frees all. */
void outcomes_end(struct outcomes *outcomes);

/* EXIT_OK: every target acknowledged; EXIT_PARTIAL: some; EXIT_MISMATCH: none; EXIT_TIMEOUT: not all is known. */
int outcomes_exit_code(const struct outcomes *outcomes);

#endif
