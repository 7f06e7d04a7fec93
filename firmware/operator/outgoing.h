/* The packets that the network_interface has to send. Private to the operator.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_OUTGOING_H
#define POSTROAD_OPERATOR_OUTGOING_H

#include "operator/here.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pr_outgoing {
    unsigned count, most; /* how many it has, and may have */
    bool transmitting;    /* pr_transmit is running */
};

static inline bool pr_outgoing_has_room(const struct pr_outgoing *outgoing)
{
    return outgoing->count < outgoing->most;
}

/* Gives the network_interface a packet to send. False: it is full. */
bool pr_give(struct pr_outgoing *outgoing, const struct pr_here *here, struct pr_packet *packet);

#ifdef __cplusplus
}
#endif

#endif
