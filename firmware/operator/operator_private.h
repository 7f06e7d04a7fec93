/* What the operator's files share. Each file calls only files to the left of it:
 *
 *   site_set, duplicate_filter, dimension_order, target_list, pool, events, here  <  ways  <  outgoing  <  groups,
 * control_packet  <  acknowledge <  send_window  <  restart  <  transmit  <  receive  <  operator  <  send
 *
 * What a file needs from above comes to it as an argument or leaves it as an event.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_OPERATOR_PRIVATE_H
#define POSTROAD_OPERATOR_OPERATOR_PRIVATE_H

#include "operator/operator.h"
#include "operator/site_set.h"
#include "wire/hints.h"

/* control_packet.c: the operator's own packets. */

/* Queues a packet that is a header alone, to one site. There must be a free small buffer. */
void pr_header_send(struct pr_operator *op, unsigned site, struct pr_header *header);

/* Queues a control packet of this type if a small buffer is free, and drops it otherwise. A loss does no harm: one of
 * the two sites repeats the exchange. base: for PR_CONTROL_TYPE_BASE, the lowest sequence number that may still be sent
 * to `site`. */
void pr_control_send(struct pr_operator *op, unsigned site, unsigned type, uint32_t base);

/* acknowledge.c: acknowledgements that are due. A source that is this site itself never has one. */

/* Has a packet that arrived in the clock `arrived` been here for too long to be acknowledged? Its source may have given
 * it up, and its 16-bit sequence number may name another packet. The source sends it again otherwise. */
bool pr_acknowledge_is_too_late(const struct pr_operator *op, uint32_t arrived);

/* Acknowledges a packet of `site` within `delay` clocks, unless it is too late. */
void pr_acknowledge(struct pr_operator *op, unsigned site, uint16_t sequence, uint32_t arrived, uint32_t delay);

/* `site`'s packet is about to be noted as received. If one bitmap cannot span it and the packets whose acknowledgement
 * is due, the acknowledgement that is due leaves first. */
void pr_acknowledge_before(struct pr_operator *op, unsigned site, uint16_t sequence);

/* Once a poll, before a packet is looked at: drops all that is due if the last poll was too long ago. Sets op->polled.
 */
void pr_acknowledge_drop_old(struct pr_operator *op, uint32_t clock);

/* Drops what is due to `site`, which has restarted. */
void pr_acknowledge_forget(struct pr_operator *op, unsigned site);

/* Queues one acknowledgement whose time has come. False: there is none, or no small buffer is free. */
bool pr_acknowledge_send(struct pr_operator *op);

bool pr_acknowledge_is_due(const struct pr_operator *op, unsigned site);

/* Takes what is due to `site`, for a packet that leaves for it now. There must be something due. */
struct pr_acknowledgement pr_acknowledge_take(struct pr_operator *op, unsigned site);

/* *clock: when the next one is due. False: none can leave before something else happens. */
bool pr_acknowledge_next(const struct pr_operator *op, uint32_t *clock);

/* restart.c: epochs, and sequence numbers that may have wrapped round unheard. */

void pr_control_received(struct pr_operator *op, const struct pr_header *header);

/* Checks a data packet's source and epoch before anything else in it is used. False: the packet is to be dropped. */
bool pr_control_admits(struct pr_operator *op, const struct pr_header *header);

/* Announces this site's restart to one more site. False: no site is left, or not all small buffers are free. */
bool pr_control_announce(struct pr_operator *op);

/* transmit.c */

/* Gives the network_interface what there is to send, as far as it has room. True if anything was given. */
bool pr_transmit(struct pr_operator *op);

/* Gives the network_interface one packet if nothing has to leave before it. False: the packet is to be queued. */
bool pr_transmit_at_once(struct pr_operator *op, struct pr_packet *packet);

/* Takes every packet back that has left. True if there was one. */
bool pr_transmit_take_back(struct pr_operator *op);

/* receive.c: what happens to a packet that the network_interface has received. clock: now, not before its terminator.
 */
void pr_receive_packet(struct pr_operator *op, struct pr_packet *packet, uint32_t clock);

#endif
