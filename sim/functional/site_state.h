/* The state of a site: cleared, and lost in a reset.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_SITE_STATE_H
#define POSTROAD_FUNCTIONAL_SITE_STATE_H

#include "functional/functional_state.h"

/* Bytes of a site's state for its router model, a multiple of what any member needs. */
size_t site_router_state_size(const struct functional *functional);

/* Router and fifo_buffers are empty, in this clock. */
void site_clear(struct functional *functional, struct functional_site *site);

/* The site is to be cleared: packets that it holds, beside those in its sending fifo_buffer, are lost. Those that are
 * on their way through it end in its channels, which must know of it. */
void site_forget(struct functional *functional, struct functional_site *site);

/* What its net_outputs have moved of packets that have not ended becomes a part of their counts, which are about to be
 * read for the last time. */
void site_count_words(struct functional *functional, struct functional_site *site);

#endif
