/* What differs between the fabrics that this simulator runs: the router of a site, between its fifo_buffers and its
 * links. Operators, fifo_buffers, links, the event queue and ranks are the same for all.
 *
 *   site_clock --> struct router_model --> router.c, heads.c, split.c, arbiter.c                     cutthrough
 *                                     '--> january.c, january_input.c, january_access.c, ...         january
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_ROUTER_MODEL_H
#define POSTROAD_FUNCTIONAL_ROUTER_MODEL_H

#include "functional/functional_state.h"

struct router_model {
    unsigned input_words; /* that a net_input holds */
    bool whole_list;      /* it looks at all targets of a packet together: of these only the first one is a mark */
    bool takes_settings;  /* those of --model that are about a router */
    size_t site_state;    /* bytes that a site has for it, and */
    size_t input_state;   /* for each of its net_inputs: site.router_state, zeroes at the beginning */

    /* The first word of the packet at this net_input that has not crossed before the turn's clock. */
    unsigned (*word_in_hand)(const struct turn *turn, unsigned port);

    /* The packet that comes to this net_input ends with the abort_packet, before all its targets may have come. The
     * packet there from now on. NULL: each target is a mark. */
    struct flight *(*cut_short)(struct functional *functional, struct functional_site *site, unsigned port,
                                const struct mark *abort);

    /* The site is to be reset: packets that are held by nothing else of it. Or NULL. */
    void (*forget)(struct functional *functional, struct functional_site *site);

    /* One clock of a site's router, in which something happens to it. */
    void (*clock)(struct functional *functional, struct functional_site *site);
};

#endif
