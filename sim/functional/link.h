/* What sites tell each other: marked words downstream, statuses upstream. Each takes effect in the clock behind this
 * one.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_LINK_H
#define POSTROAD_FUNCTIONAL_LINK_H

#include "functional/functional_state.h"

/* A word leaves by a remote net_output in this clock. */
void link_send(struct functional *functional, struct functional_site *site, unsigned port, const struct mark *mark);

/* The net_input of this link tells the net_output at the other end. */
void link_tell(struct functional *functional, struct functional_site *site, unsigned port, struct status status);

/* What has come in this clock takes effect. */
void link_receive(const struct functional *functional, struct functional_site *site);

/* A word joins those that wait at a net_input. */
void link_queue(struct functional_site *site, unsigned port, const struct mark *mark);

#endif
