/* Keeps the scoreboards of all ranks equal: what an operator of this rank does is recorded here and sent to the others,
 * and what operators of other ranks did is recorded here as well.
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
