/* Which rank records what happens to a packet. It is the rank of the packet's source, which all of a packet's life
 * concerns but its deliveries. A delivery elsewhere is sent there, with its content. The packets of a trace are
 * recorded by all ranks, because any of them may wait for any other one.
 *
 *      rank of the source                          rank of a target
 *      generated, accepted, sent, failed, settled
 *      delivered  <------- site, clocks, content ---  delivered
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_EXPERIMENT_REPLICA_H
#define POSTROAD_EXPERIMENT_REPLICA_H

#include "experiment/experiment_state.h"

/* Takes what other ranks send from now on. */
void replica_start(struct experiment *experiment);

/* As the functions of the scoreboard whose names end so. */
int replica_accept(struct experiment *experiment, int32_t packet, uint64_t clock, uint16_t sequence);
void replica_inject(struct experiment *experiment, uint32_t source, int32_t packet, uint64_t clock);
void replica_deliver(struct experiment *experiment, const struct scoreboard_delivery *delivery);
void replica_fail(struct experiment *experiment, uint32_t source, uint16_t sequence, uint32_t site);
void replica_settle(struct experiment *experiment, uint32_t source, uint16_t sequence);

#endif
