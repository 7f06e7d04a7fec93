/* Acknowledgements that this site owes. A source that is this site itself never has one. Private to the operator.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_ACKNOWLEDGE_H
#define POSTROAD_OPERATOR_ACKNOWLEDGE_H

#include "operator/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* At most one to each source. */
struct pr_acknowledgements {
    struct pr_common *common;
    uint32_t *due;   /* set of the sources that one is due to */
    unsigned count;  /* how many those are */
    uint32_t next;   /* none leaves before this clock, if any is due */
    uint32_t delay;  /* clocks that one waits to be merged with others or piggybacked on data */
    unsigned span;   /* of sequence numbers that one covers without leaving early: else the source's window closes */
    uint32_t polled; /* clock of the last poll */
};

/* Has a packet that arrived in the clock `arrived` been here for too long to be acknowledged? Its source may have given
 * it up, and its 16-bit sequence number may name another packet. The source sends it again otherwise. */
bool pr_acknowledge_is_too_late(const struct pr_acknowledgements *acknowledgements, uint32_t arrived);

/* Acknowledges a packet of `site` within `delay` clocks, unless it is too late. */
void pr_acknowledge(struct pr_acknowledgements *acknowledgements, unsigned site, uint16_t sequence, uint32_t arrived,
                    uint32_t delay);

/* `site`'s packet is about to be noted as received. If one bitmap cannot span it and the packets whose acknowledgement
 * is due, the acknowledgement that is due leaves first. */
void pr_acknowledge_before(struct pr_acknowledgements *acknowledgements, unsigned site, uint16_t sequence);

/* Once a poll, before a packet is looked at: drops all that is due, and is true, if the last poll was too long ago. */
bool pr_acknowledge_drop_old(struct pr_acknowledgements *acknowledgements, uint32_t clock);

/* Drops what is due to `site`, which has restarted. */
void pr_acknowledge_forget(struct pr_acknowledgements *acknowledgements, unsigned site);

/* Queues one acknowledgement whose time has come. False: there is none, or no small buffer is free. */
bool pr_acknowledge_send(struct pr_acknowledgements *acknowledgements);

bool pr_acknowledge_is_due(const struct pr_acknowledgements *acknowledgements, unsigned site);

/* Takes what is due to `site`, for a packet that leaves for it now. There must be something due. */
struct pr_acknowledgement pr_acknowledge_take(struct pr_acknowledgements *acknowledgements, unsigned site);

/* *clock: when the next one is due. False: none can leave before something else happens. */
bool pr_acknowledge_next(const struct pr_acknowledgements *acknowledgements, uint32_t *clock);

#ifdef __cplusplus
}
#endif

#endif
