/* The operator as a whole: its start, and one round of its work.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/operator.h"

#include <limits.h>
#include <string.h>

#include "operator/operator_private.h"

enum {
    BUFFERS_MIN = PR_OPERATOR_RECEIVE_RESERVE + 1,
    SENDING_MAX = 2,         /* packets that the network_interface may hold: those cannot be overtaken */
    ACKNOWLEDGE_CLOCKS = 16, /* delay of an acknowledgement for each slot of the window */
    RELAY_BUFFERS_MIN = 8,   /* of a pool with which a site uses relays: with 4 they carry less than unicasts */
    PACE_WORDS = 2           /* words on a link that count as much as the core's pace does */
};

/* After a reset of the whole mesh every peer is in step; after a restart of this site alone only the site itself. */
static void init_peers(struct pr_operator *op)
{
    uint32_t epoch = op->common.here.identity->epoch; /* all 16 bits: the low 5 wrap to 0 */
    memset(op->common.peers, 0, op->common.here.sites * sizeof *op->common.peers);
    for (unsigned site = 0; site < op->common.here.sites; site++) {
        struct pr_peer *peer = &op->common.peers[site];
        if (epoch != 0 && site != op->common.here.identity->site)
            continue;
        pr_peer_start(peer, 0);
        peer->epoch = pr_own_epoch(&op->common.here);
        peer->flags |= PR_PEER_EPOCH_SEEN;
    }
    if (epoch != 0)
        pr_window_start_stale(&op->window);
}

static void init_reliable(struct pr_operator *op, uint32_t *memory, const struct pr_operator_size *size)
{
    unsigned most = op->common.pool.buffers - PR_OPERATOR_RECEIVE_RESERVE;
    unsigned window = size->window < most ? size->window : most;
    unsigned set_words = PR_OPERATOR_SET_WORDS(op->common.here.sites);
    memory += size->buffers * PR_PACKET_BUFFER_WORDS(size->packet_words) +
              PR_SMALL_BUFFERS * PR_PACKET_BUFFER_WORDS(PR_SMALL_PACKET_WORDS);
    op->reserve = PR_OPERATOR_RECEIVE_RESERVE;
    op->common.outgoing.most = SENDING_MAX;
    op->acknowledgements.delay = ACKNOWLEDGE_CLOCKS * window;
    op->window.random = op->common.here.identity->site * 2654435769u + op->common.here.identity->epoch + 1;
    pr_window_init(&op->window, window < PR_WINDOW_MAX ? window : PR_WINDOW_MAX, memory);
    memory += PR_WINDOW_MAX * set_words;
    op->acknowledgements.due = memory;
    memset(op->acknowledgements.due, 0, set_words * sizeof *op->acknowledgements.due);
    op->common.peers = (struct pr_peer *)(memory + set_words);
    init_peers(op);
}

/* Packets to several sites go as unicasts over a fabric without multicast, and over one that diverts in principle but
 * not in this mesh: there a multicast could hold what a unicast waits for, and nothing would get out of its way. */
static bool may_multicast(const struct pr_operator *op)
{
    const struct pr_capabilities *can = &op->common.here.interface->capabilities;
    if (can->source_routed && !pr_ways_make_trees())
        return false;
    return can->subcubes ||
           (can->multicast && !(can->diverts && op->common.here.identity->divert_threshold == PR_NODE_DIVERT_NEVER));
}

/* The table of routes takes the place of some buffers, as does the room for a route in each small one. */
static void leave_room_for_routes(struct pr_operator *op, const struct pr_operator_size *size)
{
    int words = (int)((op->common.here.sites + 1) * PR_ROUTE_WORDS);
    op->common.pool.memory += words;
    op->common.pool.packet_words -= PR_ROUTE_PORTS_MAX;
    for (words += PR_SMALL_BUFFERS * PR_ROUTE_PORTS_MAX; words > 0; words -= PR_PACKET_BUFFER_WORDS(size->packet_words))
        op->common.pool.buffers--;
}

PR_RARE int pr_operator_init(struct pr_operator *op, struct pr_network_interface *interface,
                             const struct pr_site_identity *identity, uint32_t *memory,
                             const struct pr_operator_size *size)
{
    unsigned sites = pr_site_identity_sites(identity);
    uint32_t begun, pace;
    if (identity->reliable && sites > size->sites)
        return -PR_OPERATOR_TOO_MANY_SITES;
    memset(op, 0, sizeof *op);
    op->acknowledgements.common = op->window.common = &op->common;
    op->subtrees.common = &op->common;
    op->subtrees.alone = &op->acknowledgements;
    op->window.acknowledgements = &op->acknowledgements;
    op->common.here.interface = interface;
    op->common.here.identity = identity;
    op->common.here.sites = sites;
    op->common.pool.memory = memory;
    op->common.pool.buffers = size->buffers;
    op->common.pool.packet_words = size->packet_words;
    if (interface->capabilities.source_routed)
        leave_room_for_routes(op, size);
    if ((int)op->common.pool.buffers < BUFFERS_MIN)
        return -PR_OPERATOR_NO_BUFFER;
    if (identity->max_packet > op->common.pool.packet_words)
        return -PR_OPERATOR_TOO_LONG;
    op->common.here.reliable = identity->reliable != 0;
    op->common.here.mark_bit = pr_site_identity_mark_bit(identity);
    op->common.here.may_multicast = may_multicast(op);
    op->common.here.forwards = interface->capabilities.diverts;
    op->common.here.header_kind_bit = op->common.here.reliable ? pr_header_kind_bit(identity->word_width) : 0;
    op->common.here.addresses = pr_site_identity_addresses(identity);
    pr_ways_init(&op->common.here.ways, &interface->capabilities, &identity->shape, identity->site,
                 (struct pr_route *)memory);
    op->common.here.wide_mask = identity->word_width == 32 ? 0 : 0xffff0000;
    if (identity->reliable) {
        op->common.here.serves = PR_SERVES_RELAYS;
        init_reliable(op, memory, size);
    } else {
        op->common.outgoing.most = UINT_MAX;
        op->reserve = op->common.pool.buffers * 3 /
                      4; /* throttling the own evaluators makes storage last longest: README */
        if (op->reserve < PR_OPERATOR_RECEIVE_RESERVE)
            op->reserve = PR_OPERATOR_RECEIVE_RESERVE;
    }
    begun = pr_network_interface_clock(interface);
    pr_pool_init(&op->common.pool, op->common.here.reliable ? PR_SMALL_BUFFERS : 0,
                 pr_ways_room(&op->common.here.ways));
    pr_pool_post(&op->common.pool, op->common.here.interface);
    pace = pr_network_interface_clock(interface) - begun;
    /* No more than the pace: a source that sends one packet and waits for its acknowledgement waits so much longer. */
    op->acknowledgements.delay += pace;
    op->acknowledgements.span = pace ? op->window.size / 2 : PR_ACKNOWLEDGEMENT_SPAN;
    pr_window_set_pace(&op->window, pace + PACE_WORDS * identity->link_clocks);
    return 0;
}

void pr_operator_set_ordered(struct pr_operator *op, bool ordered)
{
    op->window.ordered = ordered;
}

void pr_operator_use_relays(struct pr_operator *op, struct pr_relay_source *source, const uint32_t *relaying)
{
    bool can = op->common.here.reliable && op->common.pool.buffers >= RELAY_BUFFERS_MIN;
    *source = (struct pr_relay_source){pr_window_begin_relays, pr_window_subtree_acknowledged, relaying, {.count = 0}};
    op->window.relays = can ? source : NULL;
}

void pr_operator_refuse(struct pr_operator *op, bool refusing)
{
    op->refusing = refusing;
}

PR_RARE int pr_operator_register(struct pr_operator *op, uint8_t handler, pr_operator_handler *function, void *context)
{
    if (handler == PR_HANDLER_LOAD && pr_events_have_handler(&op->common.events, handler))
        return -PR_OPERATOR_RESERVED;
    return pr_events_register(&op->common.events, handler, function, context) ? 0 : -PR_OPERATOR_FULL;
}

PR_RARE int pr_operator_observe(struct pr_operator *op, pr_operator_observer *function, void *context)
{
    return pr_events_observe(&op->common.events, function, context) ? 0 : -PR_OPERATOR_FULL;
}

void pr_operator_observe_first(struct pr_operator *op, pr_operator_observer *function, void *context,
                               pr_operator_observer **hidden, void **hidden_context)
{
    *hidden = op->common.events.observers[0].function;
    *hidden_context = op->common.events.observers[0].context;
    op->common.events.observers[0].function = function;
    op->common.events.observers[0].context = context;
}

uint32_t pr_operator_counter(const struct pr_operator *op, unsigned index)
{
    bool is_console = index == PR_COUNTER_BAD_FRAMES || index == PR_COUNTER_DROPPED_EVENTS ||
                      index == PR_COUNTER_ANSWERS_LOST;
    if (index < PR_COUNTER_DELIVERED || index - PR_COUNTER_DELIVERED >= PR_OPERATOR_COUNTERS || is_console)
        return 0;
    if (index == PR_COUNTER_FREE_BUFFERS)
        return pr_pool_unused(&op->common.pool);
    return index == PR_COUNTER_FEWEST_FREE_BUFFERS ? op->common.pool.fewest
                                                   : op->common.events.counters[index - PR_COUNTER_DELIVERED];
}

/* Back-pressure: a site that is short of buffers asks its router to let foreign packets pass (R1). */
static void ask_for_relief(struct pr_operator *op)
{
    bool wanted = pr_pool_unused(&op->common.pool) <= PR_OPERATOR_RELIEF_BUFFERS;
    if (wanted != op->relieved && op->common.here.reliable && op->common.here.forwards)
        pr_network_interface_relieve(op->common.here.interface, wanted);
    op->relieved = wanted;
}

bool pr_operator_poll(struct pr_operator *op)
{
    bool done = PR_UNLIKELY(op->common.outgoing.count > 0) && pr_transmit_take_back(op);
    struct pr_packet *packet;
    uint32_t clock;
    if (PR_UNLIKELY(done)) /* before the handlers run, so that the network goes on meanwhile (O4) */
        pr_pool_post(&op->common.pool, op->common.here.interface);
    packet = pr_network_interface_received_at(op->common.here.interface, &clock);
    if (PR_UNLIKELY(pr_acknowledge_drop_old(&op->acknowledgements, clock)))
        pr_relay_forget(&op->subtrees);
    if (packet) {
        pr_receive_packet(op, packet, clock);
        done = true;
    }
    done |= pr_window_time_outs(&op->window);
    done |= pr_relay_time_outs(&op->subtrees, clock);
    done |= pr_transmit(op);
    pr_pool_post(&op->common.pool, op->common.here.interface);
    ask_for_relief(op);
    return done;
}

bool pr_operator_next_wake(struct pr_operator *op, uint32_t *clock)
{
    uint32_t due;
    bool any = op->window.waiting > 0;
    *clock = op->window.deadline;
    if (pr_acknowledge_next(&op->acknowledgements, &due) && pr_outgoing_has_room(&op->common.outgoing) &&
        (!any || pr_has_come(*clock, due))) {
        *clock = due;
        any = true;
    }
    if (pr_relay_next(&op->subtrees, &due) && (!any || pr_has_come(*clock, due))) {
        *clock = due;
        any = true;
    }
    return any;
}
