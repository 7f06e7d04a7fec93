/* The fifo_buffer from the operator to the router (the paper's Figure 7).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_SENDER_H
#define POSTROAD_FUNCTIONAL_SENDER_H

#include "functional/functional_state.h"
#include "network_interface/ni_model.h"

/* One clock: a packet enters, or its terminator does; the next marked word is shown to the router. True if a packet's
 * terminator has left the network_interface. */
bool sender_clock(struct functional *functional, struct functional_site *site, struct ni_model *interface);

/* The site is to be reset: packets whose heads have not crossed are lost. */
void sender_forget(struct functional *functional, struct functional_site *site);

/* Behind a word that has crossed the router: there is something to show, or room that was waited for. */
bool sender_follows(const struct functional_site *site);

/* The terminator of the first packet has crossed the router. */
void sender_front_crossed(struct functional_site *site);

#endif
