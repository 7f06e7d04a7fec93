/* Plays a trace: which packet is sent next, and when. A packet is sent in its own clock, or in the clock behind the one
 * in which the last packet has arrived for which it waits, whichever is later.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORKLOAD_TRACE_PLAYER_H
#define POSTROAD_WORKLOAD_TRACE_PLAYER_H

#include "workload/packet_trace.h"

struct trace_player;

/* NULL without memory. The trace stays the caller's, and must live as long. */
struct trace_player *trace_player_create(const struct packet_trace *trace);
void trace_player_free(struct trace_player *player);

/* The clock of the next packet; UINT64_MAX if none can be sent, because all have been or the others wait. */
uint64_t trace_player_clock(const struct trace_player *player);

/* Takes that packet; the clock in which it is sent into *clock. */
const struct trace_packet *trace_player_next(struct trace_player *player, uint64_t *clock);

/* The packet that was taken as number `taken`, from 0, has arrived in this clock. */
void trace_player_arrived(struct trace_player *player, uint64_t taken, uint64_t clock);

#endif
