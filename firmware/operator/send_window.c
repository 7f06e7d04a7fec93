/* See send_window.h. Selective-repeat sliding window with multicast packets: a slot is settled when every target has
 * acknowledged its packet or was given up.
 *
 *                        pr_window_add
 *                             |
 *                             v      pr_window_send, if nothing holds it back
 *        +-----------------> queued ---------------------------------------> sending (the network_interface has it)
 *        |                    |  |                                              |
 *        |   a target's peer  |  |  pr_window_sent: another group of this try   |  pr_window_sent: the try is complete
 *        |   is stale: probe  |  +<---------------------------------------------+
 *        |   it, send nothing |                                                 |
 *        |                    v                                                 |
 *        +---- time-out --- waiting (until the deadline) <-----------------------+
 *                             |
 *                             |   the last missing target has acknowledged or was given up: event SETTLED
 *                             v   (also from queued, and from sending once the packet has left)
 *                          settled: the buffer is back in the pool
 *
 * - Tries: the first two of a multicast are multicasts to the missing targets, in groups. The later ones are unicasts.
 *   A packet leaves group after group from the same buffer (groups.c), and its try is complete with the last.
 * - Round-trip estimate (Jacobson): time-out = smoothed round trip + 4 deviations, within limits.
 * - Karn's rule: the acknowledgement of a retransmitted packet gives no sample of the round trip.
 * - Back-off: the time-out doubles with each try, three times at most. A random part is added, which doubles with it.
 * - Busy targets: while a target acknowledges other packets and not this one, the time-out goes on doubling, up to the
 *   longest one. Otherwise retransmissions would take the time that the target has for what it is to accept, and those
 *   of a site with a short time-out would leave no buffer for the packets of others.
 * - Giving up: after PR_TRIES_MAX tries, or after two if the target was given up before and has been silent since.
 *   A target that acknowledges other packets is busy and not dead: it has BUSY_CLOCKS.
 * - Stale peers: 16-bit sequence numbers wrap after 65536 packets. A peer that was silent while about
 *   STALE_AGE * AGE_SEQUENCES packets were sent is probed with a base (restart.c) before it is sent data.
 *
 * Observers are called in the middle of this and may send. After a report a slot that was settled may therefore hold
 * another packet.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/send_window.h"

#include <string.h>

#include "operator/control_packet.h"
#include "operator/site_set.h"
#include "operator/target_list.h"

enum {
    MULTICAST_TRIES = 2,
    SUSPECT_TRIES = 2,       /* to a target that was given up before and has been silent since */
    BASE_TRIES = 3,          /* probes of a stale peer before it is given up */
    AGE_SEQUENCES = 8192,    /* packets sent until a silent peer's age grows by one */
    STALE_AGE = 2,           /* age at which a peer is stale */
    TIME_OUT_LEAST = 1024,   /* clocks; the time-out before the first sample is four times as long */
    TIME_OUT_MOST = 1 << 16, /* with back-off, unless the core is slow: see most_time_out */
    SUSPECT_FACTOR = 8,
    PACE_FACTOR = 16,           /* a round trip takes a core about twice as long as posting a pool's buffers does */
    HYPERCUBE_WORDS_LEAST = 30, /* targets times words behind them of a packet by relays */
    RELAY_DOUBLINGS = 1,        /* of a packet by relays: its acknowledgements come from the ends of a tree */
    BACK_OFF_MOST = 3,          /* doublings, */
    BUSY_BACK_OFF_MOST = 6,     /* and while a target is busy: from the least time-out to the longest */
    BUSY_TRIES = 2,             /* tries that count against a target that acknowledges other packets, */
    BUSY_CLOCKS = 1 << 26       /* during this time since the first try */
};

static struct pr_slot *slot_of(struct pr_send_window *window, uint32_t sequence)
{
    return &window->slots[sequence % PR_WINDOW_MAX];
}

static unsigned age_of(const struct pr_peer *peer)
{
    return (peer->flags & PR_PEER_AGE_MASK) >> PR_PEER_AGE_SHIFT;
}

static void set_age(struct pr_peer *peer, unsigned age)
{
    peer->flags = (uint8_t)((peer->flags & ~PR_PEER_AGE_MASK) | age << PR_PEER_AGE_SHIFT);
}

PR_RARE void pr_window_init(struct pr_send_window *window, unsigned size, uint32_t *sets)
{
    unsigned words = PR_OPERATOR_SET_WORDS(window->common->here.sites);
    memset(sets, 0, PR_WINDOW_MAX * words * sizeof *sets);
    for (unsigned k = 0; k < PR_WINDOW_MAX; k++, sets += words)
        window->slots[k].sites = sets;
    window->size = (uint16_t)size;
}

PR_RARE void pr_window_set_pace(struct pr_send_window *window, uint32_t clocks)
{
    window->time_out_least = clocks * PACE_FACTOR > TIME_OUT_LEAST ? clocks * PACE_FACTOR : TIME_OUT_LEAST;
    window->time_out = 4 * window->time_out_least;
}

unsigned pr_window_room(const struct pr_send_window *window)
{
    return window->size - (window->next - window->edge);
}

static void report(struct pr_send_window *window, enum pr_operator_event_kind kind, const struct pr_slot *slot,
                   unsigned remaining)
{
    struct pr_operator_event event = {
        .kind = kind,
        .source = window->common->here.identity->site,
        .sequence = (uint16_t)slot->sequence,
        .remaining = (uint16_t)remaining,
    };
    pr_events_report(&window->common->events, &event);
}

static void set_state(struct pr_send_window *window, struct pr_slot *slot, enum pr_slot_state state)
{
    window->queued = (uint8_t)(window->queued + (state == PR_SLOT_QUEUED) - (slot->state == PR_SLOT_QUEUED));
    window->waiting = (uint8_t)(window->waiting + (state == PR_SLOT_WAITING) - (slot->state == PR_SLOT_WAITING));
    slot->state = state;
}

static void release(struct pr_send_window *window, struct pr_slot *slot)
{
    set_state(window, slot, PR_SLOT_SETTLED);
    pr_pool_release(&window->common->pool, slot->packet);
    slot->packet = NULL;
    while (window->edge != window->next && !slot_of(window, window->edge)->packet)
        window->edge++;
}

/* The slot no longer waits for `site`, which has acknowledged the packet or was given up. */
static void settle_target(struct pr_send_window *window, struct pr_slot *slot, unsigned site)
{
    pr_site_set_remove(slot->sites, site);
    if (--slot->missing > 0)
        return;
    if (slot->state != PR_SLOT_SENDING)
        release(window, slot);
    report(window, PR_OPERATOR_EVENT_SETTLED, slot, slot->failed);
}

/* The slot of a packet that waits for `site`, or NULL. */
static struct pr_slot *find_missing(struct pr_send_window *window, uint32_t sequence, unsigned site)
{
    struct pr_slot *slot = slot_of(window, sequence);
    return slot->missing > 0 && slot->sequence == sequence && pr_site_set_has(slot->sites, site) ? slot : NULL;
}

/* A failed request of the services is not counted: its requester reports the missing answer itself. */
static bool is_service(const struct pr_send_window *window, const struct pr_packet *packet)
{
    const uint32_t *data = packet->words + pr_packet_target_words(packet);
    struct pr_header header;
    pr_header_decode(&header, data, pr_packet_data_words(packet), window->common->here.header_kind_bit);
    return header.handler == PR_HANDLER_SERVICE;
}

static void give_up(struct pr_send_window *window, struct pr_slot *slot, unsigned site, enum pr_operator_failure why)
{
    struct pr_operator_event event = {
        .kind = PR_OPERATOR_EVENT_FAILED,
        .source = window->common->here.identity->site,
        .sequence = (uint16_t)slot->sequence,
        .site = site,
        .failure = why,
    };
    if (!is_service(window, slot->packet))
        pr_count(&window->common->events, PR_COUNTER_TARGETS_FAILED);
    window->common->peers[site].probes = 0;
    slot->failed++;
    pr_events_report(&window->common->events, &event);
    settle_target(window, slot, site);
}

/* Gives up all missing targets, or only the suspects: those whose last packet was given up as well. The count is taken
 * beforehand, because the slot may hold another packet once the last target is settled. */
PR_RARE static void give_up_missing(struct pr_send_window *window, struct pr_slot *slot, bool suspects_only)
{
    unsigned site = 0;
    for (unsigned left = slot->missing; left > 0; left--, site++) {
        struct pr_peer *peer;
        site = pr_site_set_next(slot->sites, site, window->common->here.sites);
        peer = &window->common->peers[site];
        if (suspects_only && !(peer->flags & PR_PEER_SUSPECT))
            continue;
        peer->flags |= PR_PEER_SUSPECT;
        give_up(window, slot, site, PR_OPERATOR_FAILED_TIME_OUT);
    }
}

/* Each packet that is sent ages one peer, so that every peer's age grows by one in AGE_SEQUENCES packets. */
static void age_peers(struct pr_send_window *window, uint32_t sequence)
{
    const struct pr_common *common = window->common;
    for (unsigned site = sequence % AGE_SEQUENCES; site < common->here.sites; site += AGE_SEQUENCES) {
        struct pr_peer *peer = &common->peers[site];
        if (age_of(peer) == STALE_AGE || site == common->here.identity->site)
            continue;
        set_age(peer, age_of(peer) + 1);
        window->stale += age_of(peer) == STALE_AGE;
    }
}

static void write_header(const struct pr_here *here, struct pr_packet *packet, uint32_t sequence)
{
    uint32_t *data = packet->words + pr_packet_target_words(packet);
    struct pr_header header = {
        .kind = PR_HEADER_KIND_DATA,
        .source = here->identity->site,
        .sequence = (uint16_t)sequence,
        .epoch = pr_own_epoch(here),
        .handler = (uint8_t)data[PR_HEADER_HANDLER],
    };
    pr_header_encode(&header, data, here->header_kind_bit);
}

uint16_t pr_window_add(struct pr_send_window *window, struct pr_packet *packet)
{
    uint32_t sequence = window->next++;
    struct pr_slot *slot = slot_of(window, sequence);
    unsigned target_words = pr_packet_target_words(packet);
    age_peers(window, sequence);
    write_header(&window->common->here, packet, sequence);
    packet->grouping = PR_GROUPING_UNICASTS;
    packet->role = PR_ROLE_WINDOW + sequence % PR_WINDOW_MAX;
    *slot = (struct pr_slot){.packet = packet, .sites = slot->sites, .sequence = sequence, .ordered = window->ordered};
    set_state(window, slot, PR_SLOT_QUEUED);
    for (unsigned k = 0; k < target_words; k++) {
        if (!pr_packet_is_info(packet, k)) {
            pr_site_set_add(slot->sites, pr_site_identity_site(window->common->here.identity, packet->words[k]));
            slot->missing++;
        }
    }
    slot->entries = slot->missing;
    return (uint16_t)sequence;
}

/* Ordered service: an earlier packet waits for one of the same targets. */
static bool is_held_back(struct pr_send_window *window, const struct pr_slot *slot)
{
    unsigned words = PR_OPERATOR_SET_WORDS(window->common->here.sites);
    for (uint32_t sequence = window->edge; sequence != slot->sequence; sequence++) {
        const struct pr_slot *earlier = slot_of(window, sequence);
        for (unsigned k = 0; earlier->missing > 0 && k < words; k++) {
            if (earlier->sites[k] & slot->sites[k])
                return true;
        }
    }
    return false;
}

struct missing_entries {
    const struct pr_site_identity *identity;
    const uint32_t *sites;
};

static bool entry_is_missing(const void *context, uint32_t site_word)
{
    const struct missing_entries *entries = context;
    return pr_site_set_has(entries->sites, pr_site_identity_site(entries->identity, site_word));
}

/* Leaves the targets out that are settled. A target may be given up before the first try too. False: none is left. */
static bool keep_missing(struct pr_send_window *window, struct pr_slot *slot)
{
    struct missing_entries entries = {window->common->here.identity, slot->sites};
    return slot->entries == slot->missing || pr_packet_leave_out(slot->packet, entry_is_missing, &entries) > 0;
}

/* Piggybacks the acknowledgement that is due to a unicast's target. It replaces one of an earlier try. */
static void piggyback_ack(struct pr_send_window *window, struct pr_packet *packet)
{
    uint32_t *data = packet->words + pr_packet_target_words(packet);
    bool carries = data[PR_HEADER_HANDLER] >> PR_HEADER_CARRIES_BIT & 1, due = window->acknowledgements->count > 0;
    struct pr_header header;
    unsigned words, site;
    if (!due && !carries)
        return;
    site = pr_site_identity_site(window->common->here.identity, packet->words[packet->first_target]);
    due = pr_acknowledge_is_due(window->acknowledgements, site);
    if (!due && !carries)
        return;
    pr_header_decode(&header, data, pr_packet_data_words(packet), window->common->here.header_kind_bit);
    if (header.carries)
        pr_packet_remove_data(packet, PR_HEADER_WORDS, PR_ACKNOWLEDGEMENT_WORDS);
    words = pr_packet_target_words(packet) + pr_packet_data_words(packet) + PR_ACKNOWLEDGEMENT_WORDS;
    header.carries = due && words - packet->first_target <= window->common->here.identity->max_packet &&
                     words <= window->common->pool.packet_words;
    if (header.carries) {
        pr_packet_insert_data(packet, PR_HEADER_WORDS, PR_ACKNOWLEDGEMENT_WORDS);
        header.acknowledgement = pr_acknowledge_take(window->acknowledgements, site);
        pr_count(&window->common->events, PR_COUNTER_ACKNOWLEDGEMENTS_CARRIED);
    }
    pr_header_encode(&header, data, window->common->here.header_kind_bit);
}

/* False: a target does not know relay packets. */
static bool all_relay(const struct pr_send_window *window, const struct pr_slot *slot)
{
    unsigned words = PR_OPERATOR_SET_WORDS(window->common->here.sites);
    const uint32_t *relaying = window->relays->relaying;
    for (unsigned k = 0; relaying && k < words; k++)
        if (slot->sites[k] & ~relaying[k])
            return false;
    return true;
}

/* Between the near sites of a hypercube a tree saves few words: the ports of operators are scarcer than links. */
static bool saves_words(const struct pr_here *here, const struct pr_slot *slot)
{
    return here->ways.shape->topology != PR_TOPOLOGY_HYPERCUBE ||
           slot->entries * pr_packet_data_words(slot->packet) >= HYPERCUBE_WORDS_LEAST;
}

/* O9, O10: a packet to several targets leaves by relays if links are busy here, and the network_interface has another
 * packet to send. Its second try is none by relays: a relay that does not answer costs its subtree one time-out. */
static bool goes_by_relays(const struct pr_send_window *window, const struct pr_slot *slot)
{
    unsigned target_words = pr_packet_target_words(slot->packet);
    return slot->packet->grouping == PR_GROUPING_PATHS && window->common->outgoing.count > 0 &&
           target_words <= PR_RELAY_TARGETS_MAX && target_words == slot->entries && all_relay(window, slot) &&
           saves_words(&window->common->here, slot);
}

void pr_window_begin_relays(struct pr_send_window *window, struct pr_slot *slot, bool again)
{
    const struct pr_here *here = &window->common->here;
    if (again)
        pr_group_undo_relays(here, slot->packet);
    if (!goes_by_relays(window, slot))
        return;
    slot->packet->grouping = PR_GROUPING_UNICASTS;
    if (slot->tries > 1 || slot->missing < slot->entries)
        return;
    slot->packet->grouping = PR_GROUPING_RELAYS;
    slot->doublings = RELAY_DOUBLINGS;
    pr_relays_plan(here, slot->packet, &window->relays->last);
}

/* A try goes to all targets that are missing now. */
static void begin_try(struct pr_send_window *window, struct pr_slot *slot)
{
    bool by_relays = slot->packet->grouping == PR_GROUPING_RELAYS;
    slot->tries++;
    slot->packet->first_target = 0;
    slot->packet->grouping = PR_GROUPING_UNICASTS;
    if (slot->missing > 1 && slot->tries <= MULTICAST_TRIES)
        slot->packet->grouping = pr_group_by_traffic(&window->common->traffic, &window->common->here);
    if (window->relays)
        window->relays->begin(window, slot, by_relays);
}

/* Makes the packet the group that is to leave next: the first one of a try, or the one behind the last. False: the
 * targets behind that one have been settled since, and the try is complete. */
static bool prepare(struct pr_send_window *window, struct pr_slot *slot)
{
    struct pr_packet *packet = slot->packet;
    if (slot->begun && packet->grouping == PR_GROUPING_RELAYS)
        return pr_group_next(&window->common->here, packet); /* whoever is settled by now may be a relay */
    if (slot->begun)
        packet->first_target = packet->end_target;
    else
        begin_try(window, slot);
    packet->end_target = 0;
    if (!keep_missing(window, slot))
        return false;
    pr_group_first(&window->common->here, packet, packet->grouping);
    if (slot->missing == 1)
        piggyback_ack(window, packet);
    return true;
}

static uint32_t random_below(struct pr_send_window *window, uint32_t power_of_two)
{
    window->random ^= window->random << 13;
    window->random ^= window->random >> 17;
    window->random ^= window->random << 5;
    return window->random & (power_of_two - 1);
}

static uint32_t most_time_out(const struct pr_send_window *window)
{
    return 4 * window->time_out_least > TIME_OUT_MOST ? 4 * window->time_out_least : TIME_OUT_MOST;
}

static void wait_until(struct pr_send_window *window, struct pr_slot *slot, uint32_t deadline)
{
    set_state(window, slot, PR_SLOT_WAITING);
    slot->deadline = deadline;
    if (window->waiting == 1 || pr_has_come(window->deadline, deadline))
        window->deadline = deadline;
}

/* Waits for acknowledgements, with exponential back-off and a random part. */
static void start_waiting(struct pr_send_window *window, struct pr_slot *slot)
{
    uint32_t clocks = window->time_out << slot->doublings, most = most_time_out(window);
    uint32_t jitter = random_below(window, TIME_OUT_LEAST / 2 << slot->doublings);
    if (slot->doublings < (slot->busy ? BUSY_BACK_OFF_MOST : BACK_OFF_MOST))
        slot->doublings++;
    if (clocks > most)
        clocks = most;
    slot->begun = false;
    if (slot->tries > BUSY_TRIES && (int32_t)(slot->sequence - window->late) >= 0)
        window->late = slot->sequence + 1;
    wait_until(window, slot, pr_clock_of(&window->common->here) + clocks + jitter);
}

/* Sends a probe (a base) to every missing target whose peer is stale, BASE_TRIES times, and then gives those targets
 * up. True if there was a stale target: the packet does not leave now. If the small buffers run out, the slot stays
 * queued and the try does not count, until the rest of the targets is probed. */
PR_RARE static bool probe_stale_peers(struct pr_send_window *window, struct pr_slot *slot)
{
    bool last = slot->tries >= BASE_TRIES, any = false;
    unsigned site = 0;
    if (window->stale == 0)
        return false;
    for (unsigned left = slot->missing; left > 0; left--, site++) {
        struct pr_peer *peer;
        site = pr_site_set_next(slot->sites, site, window->common->here.sites);
        peer = &window->common->peers[site];
        if (age_of(peer) < STALE_AGE)
            continue;
        any = true;
        if (last) {
            slot->tries = slot->doublings = 0; /* of the packet itself, for those that have answered */
            give_up(window, slot, site, PR_OPERATOR_FAILED_TIME_OUT);
        } else if (peer->probes <= slot->tries) {
            if (window->common->pool.small == 0)
                return true;
            pr_control_send(window->common, site, PR_CONTROL_TYPE_BASE, pr_window_base(window, site));
            peer->probes = slot->tries + 1;
        }
    }
    if (any && !last) {
        slot->tries++;
        start_waiting(window, slot);
    }
    return any;
}

/* Sends what a queued slot has to send next. False: the network_interface has no room. */
static bool send_slot(struct pr_send_window *window, struct pr_slot *slot)
{
    if (probe_stale_peers(window, slot))
        return true;
    if (pr_network_interface_send_room(window->common->here.interface) == 0)
        return false;
    if (!prepare(window, slot)) {
        start_waiting(window, slot);
        return true;
    }
    if (slot->tries == 1)
        slot->started = pr_clock_of(&window->common->here);
    slot->begun = true;
    set_state(window, slot, PR_SLOT_SENDING);
    pr_give(&window->common->outgoing, &window->common->here, slot->packet);
    if ((int32_t)(slot->sequence - window->sent) >= 0)
        window->sent = slot->sequence + 1;
    return true;
}

PR_NOT_INLINED bool pr_window_send(struct pr_send_window *window)
{
    for (uint32_t sequence = window->edge; window->queued > 0 && sequence != window->next; sequence++) {
        struct pr_slot *slot = slot_of(window, sequence);
        if (slot->state == PR_SLOT_QUEUED && !(slot->ordered && is_held_back(window, slot)))
            return send_slot(window, slot);
    }
    return false;
}

void pr_window_sent(struct pr_send_window *window, struct pr_packet *packet)
{
    struct pr_slot *slot = &window->slots[packet->role - PR_ROLE_WINDOW];
    if (slot->missing == 0)
        release(window, slot);
    else if (pr_group_is_last(packet))
        start_waiting(window, slot);
    else
        set_state(window, slot, PR_SLOT_QUEUED);
}

/* Takes a sample of the round trip into Jacobson's estimate; in clocks. */
static void update_rtt(struct pr_send_window *window, uint32_t clocks)
{
    int32_t error = (int32_t)(clocks - window->round_trip / 8);
    if (window->round_trip == 0) {
        window->round_trip = clocks * 8;
        window->deviation = clocks * 2;
    } else {
        window->round_trip += (uint32_t)error;
        window->deviation += (uint32_t)(error < 0 ? -error : error) - window->deviation / 4;
    }
    window->time_out = window->round_trip / 8 + window->deviation;
    if (window->time_out < window->time_out_least)
        window->time_out = window->time_out_least;
    if (window->time_out > most_time_out(window))
        window->time_out = most_time_out(window);
}

/* Karn's rule: an acknowledgement of a retransmitted packet gives no sample, since it may answer either try. If the
 * time-out is shorter than the real round trip, every packet is retransmitted and no sample is ever taken again, so the
 * time-out grows slowly. Its growth is limited, because the cause may be packet loss instead. */
static void karn_backoff(struct pr_send_window *window)
{
    if (window->time_out < SUSPECT_FACTOR * window->time_out_least)
        window->time_out += window->time_out / 8;
}

static void mark_acknowledged(struct pr_send_window *window, uint32_t sequence, unsigned site)
{
    struct pr_slot *slot = find_missing(window, sequence, site);
    if (!slot || slot->tries == 0) /* forged: the packet was never sent */
        return;
    if (slot->tries == 1)
        update_rtt(window, pr_clock_of(&window->common->here) - slot->started);
    else if (slot->tries == 2)
        karn_backoff(window);
    settle_target(window, slot, site);
}

/* `site` is alive: the packets that it still misses are not given up. If the peer was stale, the tries so far were
 * probes: they do not count, and packets that wait for it are tried at once. */
PR_RARE static void spare(struct pr_send_window *window, unsigned site, bool was_stale)
{
    for (uint32_t sequence = window->edge; sequence != window->next; sequence++) {
        struct pr_slot *slot = find_missing(window, sequence, site);
        if (!slot || slot->state != PR_SLOT_WAITING)
            continue;
        if (was_stale) {
            slot->tries = slot->doublings = 0;
            wait_until(window, slot, pr_clock_of(&window->common->here));
        } else if (slot->tries > BUSY_TRIES && pr_clock_of(&window->common->here) - slot->started < BUSY_CLOCKS) {
            slot->tries = BUSY_TRIES;
            slot->busy = true;
        }
    }
}

/* An acknowledgement shows that `site` follows this site's sequence numbers only if it is recent, since a site that
 * refuses packets repeats an old one. */
static void note_alive(struct pr_send_window *window, unsigned site, bool is_recent)
{
    struct pr_peer *peer = &window->common->peers[site];
    bool was_stale = is_recent && age_of(peer) == STALE_AGE;
    if (is_recent) {
        set_age(peer, 0);
        peer->probes = 0;
    }
    peer->flags &= (uint8_t)~PR_PEER_SUSPECT;
    window->stale -= was_stale;
    if (was_stale || (int32_t)(window->late - window->edge) > 0)
        spare(window, site, was_stale);
}

PR_RARE void pr_window_start_stale(struct pr_send_window *window)
{
    for (unsigned site = 0; site < window->common->here.sites; site++) {
        if (site != window->common->here.identity->site)
            set_age(&window->common->peers[site], STALE_AGE);
    }
    window->stale = (uint16_t)(window->common->here.sites - 1);
}

bool pr_window_is_stale(const struct pr_send_window *window, unsigned site)
{
    return age_of(&window->common->peers[site]) == STALE_AGE;
}

/* The 32-bit sequence number nearest to the window's next one that has these low bits. */
static uint32_t full_sequence(const struct pr_send_window *window, uint16_t sequence)
{
    uint32_t next = window->next;
    return next + (uint32_t)(int16_t)(sequence - (uint16_t)next);
}

void pr_window_acknowledged(struct pr_send_window *window, unsigned site,
                            const struct pr_acknowledgement *acknowledgement)
{
    uint32_t sequence = full_sequence(window, acknowledgement->sequence);
    bool is_recent = window->next - sequence <= AGE_SEQUENCES;
    if (acknowledgement->epoch != (pr_own_epoch(&window->common->here) & PR_EPOCH_MASK))
        return;
    for (uint32_t bits = (uint32_t)acknowledgement->bitmap << 1 | 1;
         bits != 0 && (int32_t)(sequence - window->edge) >= 0; bits >>= 1, sequence--) {
        if (bits & 1)
            mark_acknowledged(window, sequence, site);
    }
    note_alive(window, site, is_recent);
}

void pr_window_subtree_acknowledged(struct pr_send_window *window, unsigned site, uint16_t sequence_bits)
{
    uint32_t sequence = full_sequence(window, sequence_bits);
    const struct pr_slot *slot = slot_of(window, sequence);
    uint16_t sites[PR_RELAY_TARGETS_MAX] = {(uint16_t)site};
    unsigned count = 1; /* of a packet that left otherwise meanwhile */
    if (slot->missing == 0 || slot->sequence != sequence)
        return;
    if (slot->packet->grouping == PR_GROUPING_RELAYS)
        count = pr_relay_subtree(&window->common->here, slot->packet, site, sites);
    for (unsigned k = 0; k < count; k++)
        mark_acknowledged(window, sequence, sites[k]);
    for (unsigned k = 0; k < count; k++)
        note_alive(window, sites[k], true);
}

bool pr_window_waits_for_itself(struct pr_send_window *window, uint16_t sequence)
{
    const struct pr_slot *slot = find_missing(window, full_sequence(window, sequence),
                                              window->common->here.identity->site);
    return slot && slot->tries > 0;
}

PR_RARE void pr_window_peer_restarted(struct pr_send_window *window, unsigned site)
{
    uint32_t end = window->sent;
    for (uint32_t sequence = window->edge; (int32_t)(sequence - end) < 0; sequence++) {
        struct pr_slot *slot = find_missing(window, sequence, site);
        if (slot)
            give_up(window, slot, site, PR_OPERATOR_FAILED_RESTARTED);
    }
}

uint32_t pr_window_base(struct pr_send_window *window, unsigned site)
{
    uint32_t sequence = window->edge;
    while (sequence != window->next && !find_missing(window, sequence, site))
        sequence++;
    return sequence;
}

static void time_out(struct pr_send_window *window, struct pr_slot *slot)
{
    if (slot->tries >= SUSPECT_TRIES)
        give_up_missing(window, slot, slot->tries < PR_TRIES_MAX);
    if (slot->state != PR_SLOT_WAITING)
        return;
    set_state(window, slot, PR_SLOT_QUEUED);
    pr_count(&window->common->events, PR_COUNTER_TIME_OUTS);
    report(window, PR_OPERATOR_EVENT_TIMED_OUT, slot, slot->missing);
}

bool pr_window_time_outs(struct pr_send_window *window)
{
    uint32_t clock, earliest;
    bool any = false;
    if (window->waiting == 0)
        return false;
    clock = pr_clock_of(&window->common->here);
    if (!pr_has_come(clock, window->deadline))
        return false;
    earliest = clock + 2 * most_time_out(window);
    for (uint32_t sequence = window->edge; sequence != window->next; sequence++) {
        struct pr_slot *slot = slot_of(window, sequence);
        if (slot->state == PR_SLOT_WAITING && pr_has_come(clock, slot->deadline)) {
            time_out(window, slot);
            any = true;
        } else if (slot->state == PR_SLOT_WAITING && pr_has_come(earliest, slot->deadline)) {
            earliest = slot->deadline;
        }
    }
    window->deadline = earliest;
    return any;
}
