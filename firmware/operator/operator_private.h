/* What transmit, receive, operator and send share: they alone see the whole operator. The files to the left of them
 * have headers and structs of their own. Each file calls only files to the left of it:
 *
 *   site_set, duplicate_filter, dimension_order, target_list, pool, events  <  ways  <  here  <  outgoing, relays  <
 * groups  < control_packet  <  acknowledge  <  relay_acknowledge  <  send_window  <  restart  <  transmit  <  receive
 * <  operator  <  send
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
