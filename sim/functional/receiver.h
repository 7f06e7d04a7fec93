/* The fifo_buffer from the router to the operator, and the network_interface behind it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_RECEIVER_H
#define POSTROAD_FUNCTIONAL_RECEIVER_H

#include "functional/functional_state.h"
#include "network_interface/ni_model.h"

/* A marked word crosses to local in this clock. */
void receiver_take(struct functional *functional, struct functional_site *site, const struct mark *mark);

/* One clock. True if a packet has ended in the network_interface; *arrival has its clocks if it was received. */
bool receiver_clock(struct functional *functional, struct functional_site *site, struct ni_model *interface,
                    struct simulation_arrival *arrival);

/* The site is to be reset: its packets are lost. */
void receiver_forget(struct functional *functional, struct functional_site *site);

/* Clocks in which a word has waited for a receive buffer. */
uint64_t receiver_waits(const struct receiver *receiver, uint64_t now);

#endif
