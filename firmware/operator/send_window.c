/* See window.h. A slot's life: queued, sending, waiting for acknowledgements; after a time-out queued again, for the
 * targets that are missing; settled when none is. The first two tries of a multicast are multicasts, the later ones
 * unicasts, one after the other from the same buffer. Sent again, a unicast goes in strict dimension order and is not
 * diverted, but every other time it may choose its way, so that it gets round a dead link.
 *
 * Observers are called in the midst of this, and may send: a slot that was settled may be another packet's after a
 * report.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "operator/operator_private.h"
#include "operator/pool.h"
#include "operator/target_list.h"

enum {
    MULTICAST_TRIES = 2,
    SUSPECT_TRIES = 2, /* to reach a site that was given up and has not been heard from since */
    BASE_TRIES = 3,    /* to reach a site that has been silent so long that numbers may have wrapped */
    SWEEP_SEQUENCES = 8192,
    SILENT_SWEEPS = 2,
    TIME_OUT_LEAST = 1024,   /* clocks; the first, before anything was measured, is four times as long */
    TIME_OUT_MOST = 1 << 16, /* also of the back-off, on a core that is fast enough */
    SUSPECT_FACTOR = 8,
    PACE_FACTOR = 16,     /* a round trip takes about as long as a pool's buffers, twice */
    BACK_OFF_MOST = 3,    /* doublings */
    BUSY_TRIES = 2,       /* a site that answers, but not for this packet, is alive: it is not given up */
    BUSY_CLOCKS = 1 << 24 /* for so long */
};

static struct pr_slot *slot_of(struct pr_operator *op, uint32_t sequence)
{
    return &op->window.slots[sequence % PR_WINDOW_MAX];
}

static unsigned age_of(const struct pr_peer *peer)
{
    return (peer->flags & PR_PEER_AGE_MASK) >> PR_PEER_AGE_SHIFT;
}

static void set_age(struct pr_peer *peer, unsigned age)
{
    peer->flags = (uint8_t)((peer->flags & ~PR_PEER_AGE_MASK) | age << PR_PEER_AGE_SHIFT);
}

void pr_window_init(struct pr_operator *op, unsigned size, uint32_t *sets)
{
    struct pr_send_window *window = &op->window;
    unsigned words = PR_OPERATOR_SET_WORDS(op->sites);
    memset(sets, 0, PR_WINDOW_MAX * words * sizeof *sets);
    for (unsigned k = 0; k < PR_WINDOW_MAX; k++, sets += words)
        window->slots[k].sites = sets;
    window->size = (uint16_t)size;
}

void pr_window_set_pace(struct pr_operator *op, uint32_t clocks)
{
    struct pr_send_window *window = &op->window;
    window->time_out_least = clocks * PACE_FACTOR > TIME_OUT_LEAST ? clocks * PACE_FACTOR : TIME_OUT_LEAST;
    window->time_out = 4 * window->time_out_least;
}

unsigned pr_window_room(const struct pr_operator *op)
{
    return op->window.size - (op->window.next - op->window.edge);
}

static void report(struct pr_operator *op, enum pr_operator_event_kind kind, const struct pr_slot *slot,
                   unsigned remaining)
{
    struct pr_operator_event event = {
        .kind = kind,
        .source = (uint16_t)op->identity->site,
        .sequence = (uint16_t)slot->sequence,
        .remaining = (uint16_t)remaining,
    };
    pr_operator_report(op, &event);
}

static void set_state(struct pr_operator *op, struct pr_slot *slot, enum pr_slot_state state)
{
    struct pr_send_window *window = &op->window;
    window->queued = (uint8_t)(window->queued + (state == PR_SLOT_QUEUED) - (slot->state == PR_SLOT_QUEUED));
    window->waiting = (uint8_t)(window->waiting + (state == PR_SLOT_WAITING) - (slot->state == PR_SLOT_WAITING));
    slot->state = state;
}

static void release(struct pr_operator *op, struct pr_slot *slot)
{
    struct pr_send_window *window = &op->window;
    set_state(op, slot, PR_SLOT_SETTLED);
    pr_pool_release(op, slot->packet);
    slot->packet = NULL;
    while (window->edge != window->next && !slot_of(op, window->edge)->packet)
        window->edge++;
}

/* One target fewer to wait for. */
static void strike(struct pr_operator *op, struct pr_slot *slot, unsigned site)
{
    pr_site_set_remove(slot->sites, site);
    if (--slot->missing > 0)
        return;
    if (slot->state != PR_SLOT_SENDING)
        release(op, slot);
    report(op, PR_OPERATOR_EVENT_SETTLED, slot, slot->failed);
}

/* The slot of a packet that waits for `site`, or NULL. */
static struct pr_slot *find_missing(struct pr_operator *op, uint32_t sequence, unsigned site)
{
    struct pr_slot *slot = slot_of(op, sequence);
    return slot->missing > 0 && slot->sequence == sequence && pr_site_set_has(slot->sites, site) ? slot : NULL;
}

/* A request of the services that fails is not counted: the site that asked gets no answer, and reports that. */
static bool is_service(const struct pr_operator *op, const struct pr_packet *packet)
{
    const uint32_t *data = packet->words + pr_packet_target_words(packet);
    struct pr_header header;
    pr_header_decode(&header, data, pr_packet_data_words(packet), op->header_kind_bit);
    return header.handler == PR_HANDLER_SERVICE;
}

static void give_up(struct pr_operator *op, struct pr_slot *slot, unsigned site, enum pr_operator_failure why)
{
    struct pr_operator_event event = {
        .kind = PR_OPERATOR_EVENT_FAILED,
        .source = (uint16_t)op->identity->site,
        .sequence = (uint16_t)slot->sequence,
        .site = (uint16_t)site,
        .failure = why,
    };
    if (!is_service(op, slot->packet))
        pr_count(op, PR_COUNTER_TARGETS_FAILED);
    op->peers[site].asked = 0;
    slot->failed++;
    pr_operator_report(op, &event);
    strike(op, slot, site);
}

/* Gives up all targets that are missing, or those whose last packet was given up as well. Counts them, as the slot may
 * be another packet's after the last one. */
static void give_up_missing(struct pr_operator *op, struct pr_slot *slot, bool suspects_only)
{
    unsigned site = 0;
    for (unsigned left = slot->missing; left > 0; left--, site++) {
        struct pr_peer *peer;
        site = pr_site_set_next(slot->sites, site, op->sites);
        peer = &op->peers[site];
        if (suspects_only && !(peer->flags & PR_PEER_SUSPECT))
            continue;
        peer->flags |= PR_PEER_SUSPECT;
        give_up(op, slot, site, PR_OPERATOR_FAILED_TIME_OUT);
    }
}

/* With each packet one site grows older, each once in SWEEP_SEQUENCES. Those that have not been heard from for long are
 * asked before they get data (control.c). */
static void sweep(struct pr_operator *op, uint32_t sequence)
{
    for (unsigned site = sequence % SWEEP_SEQUENCES; site < op->sites; site += SWEEP_SEQUENCES) {
        struct pr_peer *peer = &op->peers[site];
        if (age_of(peer) == SILENT_SWEEPS || site == op->identity->site)
            continue;
        set_age(peer, age_of(peer) + 1);
        op->window.silent += age_of(peer) == SILENT_SWEEPS;
    }
}

static void write_header(const struct pr_operator *op, struct pr_packet *packet, uint32_t sequence)
{
    uint32_t *data = packet->words + pr_packet_target_words(packet);
    struct pr_header header = {
        .kind = PR_HEADER_KIND_DATA,
        .source = (uint16_t)op->identity->site,
        .sequence = (uint16_t)sequence,
        .epoch = pr_own_epoch(op),
        .handler = (uint8_t)data[PR_HEADER_HANDLER],
    };
    pr_header_encode(&header, data, op->header_kind_bit);
}

uint16_t pr_window_add(struct pr_operator *op, struct pr_packet *packet)
{
    struct pr_send_window *window = &op->window;
    uint32_t sequence = window->next++;
    struct pr_slot *slot = slot_of(op, sequence);
    unsigned target_words = pr_packet_target_words(packet);
    sweep(op, sequence);
    write_header(op, packet, sequence);
    packet->role = PR_ROLE_WINDOW + sequence % PR_WINDOW_MAX;
    *slot = (struct pr_slot){.packet = packet, .sites = slot->sites, .sequence = sequence, .ordered = window->ordered};
    set_state(op, slot, PR_SLOT_QUEUED);
    for (unsigned k = 0; k < target_words; k++) {
        if (!pr_packet_is_info(packet, k)) {
            pr_site_set_add(slot->sites, pr_site_identity_site(op->identity, packet->words[k]));
            slot->missing++;
        }
    }
    slot->entries = slot->missing;
    return (uint16_t)sequence;
}

/* True while an earlier packet waits for one of the same targets. */
static bool is_held_back(struct pr_operator *op, const struct pr_slot *slot)
{
    unsigned words = PR_OPERATOR_SET_WORDS(op->sites);
    for (uint32_t sequence = op->window.edge; sequence != slot->sequence; sequence++) {
        const struct pr_slot *earlier = slot_of(op, sequence);
        for (unsigned k = 0; earlier->missing > 0 && k < words; k++) {
            if (earlier->sites[k] & slot->sites[k])
                return true;
        }
    }
    return false;
}

struct missing_entries {
    const struct pr_operator *op;
    const uint32_t *sites;
};

static bool entry_is_missing(const void *context, uint32_t site_word)
{
    const struct missing_entries *entries = context;
    return pr_site_set_has(entries->sites, pr_site_identity_site(entries->op->identity, site_word));
}

/* Targets may be struck before the first try too: they are given up while a packet waits. */
static void keep_missing(struct pr_operator *op, struct pr_slot *slot)
{
    struct missing_entries entries = {op, slot->sites};
    if (slot->entries != slot->missing)
        pr_packet_leave_out(slot->packet, entry_is_missing, &entries);
    slot->entries = slot->missing;
}

/* An acknowledgement that is due to a unicast's target goes with it, in place of one that went with it before. */
static void carry(struct pr_operator *op, struct pr_packet *packet)
{
    unsigned site = pr_site_identity_site(op->identity, packet->words[packet->first_target]);
    bool due = pr_acknowledge_is_due(op, site);
    uint32_t *data = packet->words + pr_packet_target_words(packet);
    struct pr_header header;
    unsigned words;
    if (!due && !(data[PR_HEADER_HANDLER] >> PR_HEADER_CARRIES_BIT & 1))
        return;
    pr_header_decode(&header, data, pr_packet_data_words(packet), op->header_kind_bit);
    if (header.carries)
        pr_packet_remove_data(packet, PR_HEADER_WORDS, PR_ACKNOWLEDGEMENT_WORDS);
    words = pr_packet_target_words(packet) + pr_packet_data_words(packet) + PR_ACKNOWLEDGEMENT_WORDS;
    header.carries = due && words - packet->first_target <= op->identity->max_packet && words <= op->pool.packet_words;
    if (header.carries) {
        pr_packet_insert_data(packet, PR_HEADER_WORDS, PR_ACKNOWLEDGEMENT_WORDS);
        header.acknowledgement = pr_acknowledge_take(op, site);
        pr_count(op, PR_COUNTER_ACKNOWLEDGEMENTS_CARRIED);
    }
    pr_header_encode(&header, data, op->header_kind_bit);
}

/* The packet as it is to leave in this try, or in what is left of it. */
static void prepare(struct pr_operator *op, struct pr_slot *slot)
{
    struct pr_packet *packet = slot->packet;
    bool several;
    packet->end_target = 0;
    keep_missing(op, slot);
    several = slot->missing > 1;
    if (slot->unicasts > 0) {
        pr_packet_rotate_targets(packet);
        slot->unicasts = slot->unicasts < slot->missing ? slot->unicasts : slot->missing;
    } else {
        if (several && (slot->tries >= MULTICAST_TRIES || !pr_may_multicast(op)))
            slot->unicasts = slot->missing;
        if (slot->tries++ > 0)
            pr_packet_mark_sites(packet, op->strict_bit, (slot->tries & 1) == several);
    }
    packet->kind_bits = several ? PR_KIND_MULTICAST : 0;
    if (several && slot->unicasts > 0)
        pr_packet_peel_first(packet);
    if (!several)
        carry(op, packet);
}

static uint32_t random_below(struct pr_operator *op, uint32_t power_of_two)
{
    op->random ^= op->random << 13;
    op->random ^= op->random >> 17;
    op->random ^= op->random << 5;
    return op->random & (power_of_two - 1);
}

static uint32_t most_time_out(const struct pr_send_window *window)
{
    return 4 * window->time_out_least > TIME_OUT_MOST ? 4 * window->time_out_least : TIME_OUT_MOST;
}

static void wait_until(struct pr_operator *op, struct pr_slot *slot, uint32_t deadline)
{
    struct pr_send_window *window = &op->window;
    set_state(op, slot, PR_SLOT_WAITING);
    slot->deadline = deadline;
    if (window->waiting == 1 || pr_has_come(window->deadline, deadline))
        window->deadline = deadline;
}

/* Waits, longer after every try, and never for the same time twice. */
static void start_waiting(struct pr_operator *op, struct pr_slot *slot)
{
    unsigned doublings = slot->tries > BACK_OFF_MOST ? BACK_OFF_MOST : slot->tries - 1u;
    uint32_t clocks = op->window.time_out << doublings, most = most_time_out(&op->window);
    if (clocks > most)
        clocks = most;
    wait_until(op, slot, pr_clock_of(op) + clocks + random_below(op, TIME_OUT_LEAST / 2));
}

/* Asks the targets that have been silent for long, a few times, and then gives them up. True if there were any: the
 * packet does not go now. It stays queued, and the try does not count, until small buffers have come back for all that
 * are to be asked. */
static bool asks_silent(struct pr_operator *op, struct pr_slot *slot)
{
    bool last = slot->tries >= BASE_TRIES, any = false;
    unsigned site = 0;
    if (op->window.silent == 0)
        return false;
    for (unsigned left = slot->missing; left > 0; left--, site++) {
        struct pr_peer *peer;
        site = pr_site_set_next(slot->sites, site, op->sites);
        peer = &op->peers[site];
        if (age_of(peer) < SILENT_SWEEPS)
            continue;
        any = true;
        if (last) {
            slot->tries = 0; /* of the packet itself, for those that have answered */
            give_up(op, slot, site, PR_OPERATOR_FAILED_TIME_OUT);
        } else if (peer->asked <= slot->tries) {
            if (op->pool.small == 0)
                return true;
            pr_control_send(op, site, PR_CONTROL_TYPE_BASE, pr_window_base(op, site));
            peer->asked = slot->tries + 1;
        }
    }
    if (any && !last) {
        slot->tries++;
        start_waiting(op, slot);
    }
    return any;
}

/* Sends what a queued slot has to send. False: the network_interface has no room. */
static bool send_slot(struct pr_operator *op, struct pr_slot *slot)
{
    struct pr_send_window *window = &op->window;
    if (asks_silent(op, slot))
        return true;
    if (pr_network_interface_send_room(op->interface) == 0)
        return false;
    prepare(op, slot);
    if (slot->tries == 1)
        slot->started = pr_clock_of(op);
    set_state(op, slot, PR_SLOT_SENDING);
    pr_network_interface_send(op->interface, slot->packet);
    op->sending++;
    if ((int32_t)(slot->sequence - window->sent) >= 0)
        window->sent = slot->sequence + 1;
    return true;
}

PR_NOT_INLINED bool pr_window_send(struct pr_operator *op)
{
    struct pr_send_window *window = &op->window;
    for (uint32_t sequence = window->edge; window->queued > 0 && sequence != window->next; sequence++) {
        struct pr_slot *slot = slot_of(op, sequence);
        if (slot->state == PR_SLOT_QUEUED && !(slot->ordered && is_held_back(op, slot)))
            return send_slot(op, slot);
    }
    return false;
}

void pr_window_sent(struct pr_operator *op, struct pr_packet *packet)
{
    struct pr_slot *slot = &op->window.slots[packet->role - PR_ROLE_WINDOW];
    if (slot->missing == 0)
        release(op, slot);
    else if (slot->unicasts > 0 && --slot->unicasts > 0)
        set_state(op, slot, PR_SLOT_QUEUED);
    else
        start_waiting(op, slot);
}

/* Jacobson's estimate, in clocks: smoothed round trip plus four deviations. */
static void measure(struct pr_operator *op, uint32_t clocks)
{
    struct pr_send_window *window = &op->window;
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

/* Nobody knows which of two tries was answered. The first, and the time-out is too short? Then it has to grow, or
 * nothing is ever measured again; but only so far, as it may as well be losses. */
static void suspect_time_out(struct pr_send_window *window)
{
    if (window->time_out < SUSPECT_FACTOR * window->time_out_least)
        window->time_out += window->time_out / 8;
}

static void acknowledged(struct pr_operator *op, uint32_t sequence, unsigned site)
{
    struct pr_slot *slot = find_missing(op, sequence, site);
    if (!slot || slot->tries == 0) /* nobody can have what was never sent */
        return;
    if (slot->tries == 1)
        measure(op, pr_clock_of(op) - slot->started);
    else if (slot->tries == 2)
        suspect_time_out(&op->window);
    strike(op, slot, site);
}

/* A site is alive: what it still misses is not given up. It knows where the numbers are only if the one it acknowledges
 * is recent: one that refuses says the same old one again. If it was silent for long, what waits for it goes at once,
 * or goes on waiting for others that were: the tries until now were questions, and are not counted. */
static void heard(struct pr_operator *op, unsigned site, bool is_recent)
{
    struct pr_peer *peer = &op->peers[site];
    bool was_silent = is_recent && age_of(peer) == SILENT_SWEEPS;
    if (is_recent) {
        set_age(peer, 0);
        peer->asked = 0;
    }
    peer->flags &= (uint8_t)~PR_PEER_SUSPECT;
    op->window.silent -= was_silent;
    if (op->window.waiting == 0)
        return;
    for (uint32_t sequence = op->window.edge; sequence != op->window.next; sequence++) {
        struct pr_slot *slot = find_missing(op, sequence, site);
        if (!slot || slot->state != PR_SLOT_WAITING)
            continue;
        if (was_silent) {
            slot->tries = 0;
            wait_until(op, slot, pr_clock_of(op));
        } else if (slot->tries > BUSY_TRIES && pr_clock_of(op) - slot->started < BUSY_CLOCKS) {
            slot->tries = BUSY_TRIES;
        }
    }
}

void pr_window_expect_silence(struct pr_operator *op)
{
    for (unsigned site = 0; site < op->sites; site++) {
        if (site != op->identity->site)
            set_age(&op->peers[site], SILENT_SWEEPS);
    }
    op->window.silent = (uint16_t)(op->sites - 1);
}

bool pr_window_has_silent(const struct pr_operator *op, unsigned site)
{
    return age_of(&op->peers[site]) == SILENT_SWEEPS;
}

/* The window's sequence number with these low bits. */
static uint32_t full_sequence(const struct pr_operator *op, uint16_t sequence)
{
    uint32_t next = op->window.next;
    return next + (uint32_t)(int16_t)(sequence - (uint16_t)next);
}

void pr_window_acknowledged(struct pr_operator *op, unsigned site, const struct pr_acknowledgement *acknowledgement)
{
    uint32_t sequence = full_sequence(op, acknowledgement->sequence);
    bool is_recent = op->window.next - sequence <= SWEEP_SEQUENCES;
    if (acknowledgement->epoch != (pr_own_epoch(op) & PR_EPOCH_MASK))
        return;
    acknowledged(op, sequence, site);
    for (uint32_t bitmap = acknowledgement->bitmap; bitmap != 0; bitmap >>= 1) {
        sequence--;
        if (bitmap & 1)
            acknowledged(op, sequence, site);
    }
    heard(op, site, is_recent);
}

void pr_window_delivered_here(struct pr_operator *op, uint16_t sequence)
{
    acknowledged(op, full_sequence(op, sequence), op->identity->site);
}

bool pr_window_waits_for_itself(struct pr_operator *op, uint16_t sequence)
{
    const struct pr_slot *slot = find_missing(op, full_sequence(op, sequence), op->identity->site);
    return slot && slot->tries > 0;
}

void pr_window_peer_restarted(struct pr_operator *op, unsigned site)
{
    uint32_t end = op->window.sent;
    for (uint32_t sequence = op->window.edge; (int32_t)(sequence - end) < 0; sequence++) {
        struct pr_slot *slot = find_missing(op, sequence, site);
        if (slot)
            give_up(op, slot, site, PR_OPERATOR_FAILED_RESTARTED);
    }
}

uint32_t pr_window_base(struct pr_operator *op, unsigned site)
{
    uint32_t sequence = op->window.edge;
    while (sequence != op->window.next && !find_missing(op, sequence, site))
        sequence++;
    return sequence;
}

static void time_out(struct pr_operator *op, struct pr_slot *slot)
{
    if (slot->tries >= SUSPECT_TRIES)
        give_up_missing(op, slot, slot->tries < PR_TRIES_MAX);
    if (slot->state != PR_SLOT_WAITING)
        return;
    set_state(op, slot, PR_SLOT_QUEUED);
    pr_count(op, PR_COUNTER_TIME_OUTS);
    report(op, PR_OPERATOR_EVENT_TIMED_OUT, slot, slot->missing);
}

bool pr_window_time_outs(struct pr_operator *op)
{
    struct pr_send_window *window = &op->window;
    uint32_t clock, earliest;
    bool any = false;
    if (window->waiting == 0)
        return false;
    clock = pr_clock_of(op);
    if (!pr_has_come(clock, window->deadline))
        return false;
    earliest = clock + 2 * most_time_out(window);
    for (uint32_t sequence = window->edge; sequence != window->next; sequence++) {
        struct pr_slot *slot = slot_of(op, sequence);
        if (slot->state == PR_SLOT_WAITING && pr_has_come(clock, slot->deadline)) {
            time_out(op, slot);
            any = true;
        } else if (slot->state == PR_SLOT_WAITING && pr_has_come(earliest, slot->deadline)) {
            earliest = slot->deadline;
        }
    }
    window->deadline = earliest;
    return any;
}
