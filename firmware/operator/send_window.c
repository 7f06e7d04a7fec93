/* See window.h. A slot's life: queued, sending, waiting for acknowledgements; after a time-out queued again, for the
 * targets that are missing; settled when none is. The first two tries of a multicast are multicasts, the later ones
 * unicasts, one after the other from the same buffer. Sent again, a unicast goes in strict dimension order and is not
 * diverted, but every other time it may choose its way, so that it gets round a dead link.
 *
 * Observers are called in the midst of this, and may send: a slot that was settled may be another packet's after a report.
 */
#include <string.h>

#include "operator/operator_private.h"
#include "operator/target_list.h"
#include "operator/pool.h"

enum {
    MULTICAST_TRIES = 2,
    SUSPECT_TRIES = 2,              /* to reach a site that was given up and has not been heard from since */
    BASE_TRIES = 3,                 /* to reach a site that has been silent so long that numbers may have wrapped */
    SWEEP_SEQUENCES = 8192,
    SILENT_SWEEPS = 2,
    TIME_OUT_LEAST = 1024,          /* clocks; the first, before anything was measured, is four times as long */
    TIME_OUT_MOST = 1 << 16,        /* also of the back-off, on a core that is fast enough */
    SUSPECT_FACTOR = 8,
    PACE_FACTOR = 16,               /* a round trip takes about as long as a pool's buffers, twice */
    BACK_OFF_MOST = 3,              /* doublings */
    BUSY_TRIES = 2,                 /* a site that answers, but not for this packet, is alive: it is not given up */
    BUSY_CLOCKS = 1 << 24           /* for so long */
};

static struct slot *slot_of(struct operator *operator, uint32_t sequence)
{
    return &operator->window.slots[sequence % WINDOW_MAX];
}

static unsigned age_of(const struct peer *peer)
{
    return (peer->flags & PEER_AGE_MASK) >> PEER_AGE_SHIFT;
}

static void set_age(struct peer *peer, unsigned age)
{
    peer->flags = (uint8_t)((peer->flags & ~PEER_AGE_MASK) | age << PEER_AGE_SHIFT);
}

void window_init(struct operator *operator, unsigned size, uint32_t *sets)
{
    struct window *window = &operator->window;
    unsigned words = OPERATOR_SET_WORDS(operator->sites);

    memset(sets, 0, WINDOW_MAX * words * sizeof *sets);
    for (unsigned k = 0; k < WINDOW_MAX; k++, sets += words)
        window->slots[k].sites = sets;
    window->size = (uint16_t)size;
}

void window_set_pace(struct operator *operator, uint32_t clocks)
{
    struct window *window = &operator->window;

    window->time_out_least = clocks * PACE_FACTOR > TIME_OUT_LEAST ? clocks * PACE_FACTOR : TIME_OUT_LEAST;
    window->time_out = 4 * window->time_out_least;
}

unsigned window_room(const struct operator *operator)
{
    return operator->window.size - (operator->window.next - operator->window.edge);
}

static void report(struct operator *operator, enum operator_event_kind kind, const struct slot *slot, unsigned remaining)
{
    struct operator_event event = {
        .kind = kind,
        .source = (uint16_t)operator->identity->site,
        .sequence = (uint16_t)slot->sequence,
        .remaining = (uint16_t)remaining,
    };

    operator_report(operator, &event);
}

static void set_state(struct operator *operator, struct slot *slot, enum slot_state state)
{
    struct window *window = &operator->window;

    window->queued = (uint8_t)(window->queued + (state == SLOT_QUEUED) - (slot->state == SLOT_QUEUED));
    window->waiting = (uint8_t)(window->waiting + (state == SLOT_WAITING) - (slot->state == SLOT_WAITING));
    slot->state = state;
}

static void release(struct operator *operator, struct slot *slot)
{
    struct window *window = &operator->window;

    set_state(operator, slot, SLOT_SETTLED);
    pool_release(operator, slot->packet);
    slot->packet = NULL;
    while (window->edge != window->next && slot_of(operator, window->edge)->packet == NULL)
        window->edge++;
}

/* One target fewer to wait for. */
static void strike(struct operator *operator, struct slot *slot, unsigned site)
{
    set_remove(slot->sites, site);
    if (--slot->missing > 0)
        return;
    if (slot->state != SLOT_SENDING)
        release(operator, slot);
    report(operator, OPERATOR_EVENT_SETTLED, slot, slot->failed);
}

/* The slot of a packet that waits for `site`, or NULL. */
static struct slot *find_missing(struct operator *operator, uint32_t sequence, unsigned site)
{
    struct slot *slot = slot_of(operator, sequence);

    return slot->missing > 0 && slot->sequence == sequence && set_has(slot->sites, site) ? slot : NULL;
}

/* A request of the services that fails is not counted: the site that asked gets no answer, and reports that. */
static bool is_service(const struct operator *operator, const struct packet *packet)
{
    const uint32_t *data = packet->words + packet_target_words(packet);
    struct header header;

    header_decode(&header, data, packet_data_words(packet), operator->strict_bit);
    return header.handler == HANDLER_SERVICE;
}

static void give_up(struct operator *operator, struct slot *slot, unsigned site, enum operator_failure why)
{
    struct operator_event event = {
        .kind = OPERATOR_EVENT_FAILED,
        .source = (uint16_t)operator->identity->site,
        .sequence = (uint16_t)slot->sequence,
        .site = (uint16_t)site,
        .failure = why,
    };

    if (!is_service(operator, slot->packet))
        count(operator, COUNTER_TARGETS_FAILED);
    operator->peers[site].asked = 0;
    slot->failed++;
    operator_report(operator, &event);
    strike(operator, slot, site);
}

/* Gives up all targets that are missing, or those whose last packet was given up as well. Counts them, as the slot may be
 * another packet's after the last one. */
static void give_up_missing(struct operator *operator, struct slot *slot, bool suspects_only)
{
    unsigned site = 0;

    for (unsigned left = slot->missing; left > 0; left--, site++) {
        struct peer *peer;

        site = set_next(slot->sites, site, operator->sites);
        peer = &operator->peers[site];
        if (suspects_only && !(peer->flags & PEER_SUSPECT))
            continue;
        peer->flags |= PEER_SUSPECT;
        give_up(operator, slot, site, OPERATOR_FAILED_TIME_OUT);
    }
}

/* With each packet one site grows older, each once in SWEEP_SEQUENCES. Those that have not been heard from for long are
 * asked before they get data (control.c). */
static void sweep(struct operator *operator, uint32_t sequence)
{
    for (unsigned site = sequence % SWEEP_SEQUENCES; site < operator->sites; site += SWEEP_SEQUENCES) {
        struct peer *peer = &operator->peers[site];

        if (age_of(peer) == SILENT_SWEEPS || site == operator->identity->site)
            continue;
        set_age(peer, age_of(peer) + 1);
        operator->window.silent += age_of(peer) == SILENT_SWEEPS;
    }
}

static void write_header(const struct operator *operator, struct packet *packet, uint32_t sequence)
{
    uint32_t *data = packet->words + packet_target_words(packet);
    struct header header = {
        .kind = HEADER_KIND_DATA,
        .source = (uint16_t)operator->identity->site,
        .sequence = (uint16_t)sequence,
        .epoch = own_epoch(operator),
        .handler = (uint8_t)data[HEADER_HANDLER],
    };

    header_encode(&header, data, operator->strict_bit);
}

uint16_t window_add(struct operator *operator, struct packet *packet)
{
    struct window *window = &operator->window;
    uint32_t sequence = window->next++;
    struct slot *slot = slot_of(operator, sequence);
    unsigned target_words = packet_target_words(packet);

    sweep(operator, sequence);
    write_header(operator, packet, sequence);
    packet->role = ROLE_WINDOW + sequence % WINDOW_MAX;
    *slot = (struct slot){ .packet = packet, .sites = slot->sites, .sequence = sequence, .ordered = window->ordered };
    set_state(operator, slot, SLOT_QUEUED);
    for (unsigned k = 0; k < target_words; k++) {
        if (!packet_is_info(packet, k)) {
            set_add(slot->sites, node_identity_site(operator->identity, packet->words[k]));
            slot->missing++;
        }
    }
    slot->entries = slot->missing;
    return (uint16_t)sequence;
}

/* True while an earlier packet waits for one of the same targets. */
static bool is_held_back(struct operator *operator, const struct slot *slot)
{
    unsigned words = OPERATOR_SET_WORDS(operator->sites);

    for (uint32_t sequence = operator->window.edge; sequence != slot->sequence; sequence++) {
        const struct slot *earlier = slot_of(operator, sequence);

        for (unsigned k = 0; earlier->missing > 0 && k < words; k++) {
            if (earlier->sites[k] & slot->sites[k])
                return true;
        }
    }
    return false;
}

struct missing_entries {
    const struct operator *operator;
    const uint32_t *sites;
};

static bool entry_is_missing(const void *context, uint32_t site_word)
{
    const struct missing_entries *entries = context;

    return set_has(entries->sites, node_identity_site(entries->operator->identity, site_word));
}

/* Targets may be struck before the first try too: they are given up while a packet waits. */
static void keep_missing(struct operator *operator, struct slot *slot)
{
    struct missing_entries entries = { operator, slot->sites };

    if (slot->entries != slot->missing)
        packet_leave_out(slot->packet, entry_is_missing, &entries);
    slot->entries = slot->missing;
}

/* An acknowledgement that is due to a unicast's target goes with it, in place of one that went with it before. */
static void carry(struct operator *operator, struct packet *packet)
{
    unsigned site = node_identity_site(operator->identity, packet->words[packet->first_target]);
    bool due = acknowledge_is_due(operator, site);
    uint32_t *data = packet->words + packet_target_words(packet);
    struct header header;
    unsigned words;

    if (!due && !(data[HEADER_HANDLER] >> HEADER_CARRIES_BIT & 1))
        return;
    header_decode(&header, data, packet_data_words(packet), operator->strict_bit);
    if (header.carries)
        packet_remove_data(packet, HEADER_WORDS, ACKNOWLEDGEMENT_WORDS);
    words = packet_target_words(packet) + packet_data_words(packet) + ACKNOWLEDGEMENT_WORDS;
    header.carries = due && words - packet->first_target <= operator->identity->max_packet && words <= operator->packet_words;
    if (header.carries) {
        packet_insert_data(packet, HEADER_WORDS, ACKNOWLEDGEMENT_WORDS);
        header.acknowledgement = acknowledge_take(operator, site);
        count(operator, COUNTER_ACKNOWLEDGEMENTS_CARRIED);
    }
    header_encode(&header, data, operator->strict_bit);
}

/* The packet as it is to leave in this try, or in what is left of it. */
static void prepare(struct operator *operator, struct slot *slot)
{
    struct packet *packet = slot->packet;
    bool several;

    packet->end_target = 0;
    keep_missing(operator, slot);
    several = slot->missing > 1;
    if (slot->unicasts > 0) {
        packet_rotate_targets(packet);
        slot->unicasts = slot->unicasts < slot->missing ? slot->unicasts : slot->missing;
    } else {
        if (several && (slot->tries >= MULTICAST_TRIES || !may_multicast(operator)))
            slot->unicasts = slot->missing;
        if (slot->tries++ > 0)
            packet_mark_sites(packet, operator->strict_bit, (slot->tries & 1) == several);
    }
    packet->kind_bits = several ? KIND_MULTICAST : 0;
    if (several && slot->unicasts > 0)
        packet_peel_first(packet);
    if (!several)
        carry(operator, packet);
}

static uint32_t random_below(struct operator *operator, uint32_t power_of_two)
{
    operator->random ^= operator->random << 13;
    operator->random ^= operator->random >> 17;
    operator->random ^= operator->random << 5;
    return operator->random & (power_of_two - 1);
}

static uint32_t most_time_out(const struct window *window)
{
    return 4 * window->time_out_least > TIME_OUT_MOST ? 4 * window->time_out_least : TIME_OUT_MOST;
}

static void wait_until(struct operator *operator, struct slot *slot, uint32_t deadline)
{
    struct window *window = &operator->window;

    set_state(operator, slot, SLOT_WAITING);
    slot->deadline = deadline;
    if (window->waiting == 1 || has_come(window->deadline, deadline))
        window->deadline = deadline;
}

/* Waits, longer after every try, and never for the same time twice. */
static void start_waiting(struct operator *operator, struct slot *slot)
{
    unsigned doublings = slot->tries > BACK_OFF_MOST ? BACK_OFF_MOST : slot->tries - 1u;
    uint32_t clocks = operator->window.time_out << doublings, most = most_time_out(&operator->window);

    if (clocks > most)
        clocks = most;
    wait_until(operator, slot, clock_of(operator) + clocks + random_below(operator, TIME_OUT_LEAST / 2));
}

/* Asks the targets that have been silent for long, a few times, and then gives them up. True if there were any: the
 * packet does not go now. It stays queued, and the try does not count, until small buffers have come back for all that are to
 * be asked. */
static bool asks_silent(struct operator *operator, struct slot *slot)
{
    bool last = slot->tries >= BASE_TRIES, any = false;
    unsigned site = 0;

    if (operator->window.silent == 0)
        return false;
    for (unsigned left = slot->missing; left > 0; left--, site++) {
        struct peer *peer;

        site = set_next(slot->sites, site, operator->sites);
        peer = &operator->peers[site];
        if (age_of(peer) < SILENT_SWEEPS)
            continue;
        any = true;
        if (last) {
            slot->tries = 0;        /* of the packet itself, for those that have answered */
            give_up(operator, slot, site, OPERATOR_FAILED_TIME_OUT);
        } else if (peer->asked <= slot->tries) {
            if (operator->small == 0)
                return true;
            control_send(operator, site, CONTROL_TYPE_BASE);
            peer->asked = slot->tries + 1;
        }
    }
    if (any && !last) {
        slot->tries++;
        start_waiting(operator, slot);
    }
    return any;
}

/* Sends what a queued slot has to send. False: the network_interface has no room. */
static bool send_slot(struct operator *operator, struct slot *slot)
{
    struct window *window = &operator->window;

    if (asks_silent(operator, slot))
        return true;
    if (network_interface_send_room(operator->interface) == 0)
        return false;
    prepare(operator, slot);
    if (slot->tries == 1)
        slot->started = clock_of(operator);
    set_state(operator, slot, SLOT_SENDING);
    network_interface_send(operator->interface, slot->packet);
    operator->sending++;
    if ((int32_t)(slot->sequence - window->sent) >= 0)
        window->sent = slot->sequence + 1;
    return true;
}

NOT_INLINED bool window_send(struct operator *operator)
{
    struct window *window = &operator->window;

    for (uint32_t sequence = window->edge; window->queued > 0 && sequence != window->next; sequence++) {
        struct slot *slot = slot_of(operator, sequence);

        if (slot->state == SLOT_QUEUED && !(slot->ordered && is_held_back(operator, slot)))
            return send_slot(operator, slot);
    }
    return false;
}

void window_sent(struct operator *operator, struct packet *packet)
{
    struct slot *slot = &operator->window.slots[packet->role - ROLE_WINDOW];

    if (slot->missing == 0)
        release(operator, slot);
    else if (slot->unicasts > 0 && --slot->unicasts > 0)
        set_state(operator, slot, SLOT_QUEUED);
    else
        start_waiting(operator, slot);
}

/* Jacobson's estimate, in clocks: smoothed round trip plus four deviations. */
static void measure(struct operator *operator, uint32_t clocks)
{
    struct window *window = &operator->window;
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

/* Nobody knows which of two tries was answered. The first, and the time-out is too short? Then it has to grow, or nothing
 * is ever measured again; but only so far, as it may as well be losses. */
static void suspect_time_out(struct window *window)
{
    if (window->time_out < SUSPECT_FACTOR * window->time_out_least)
        window->time_out += window->time_out / 8;
}

static void acknowledged(struct operator *operator, uint32_t sequence, unsigned site)
{
    struct slot *slot = find_missing(operator, sequence, site);

    if (slot == NULL || slot->tries == 0)    /* nobody can have what was never sent */
        return;
    if (slot->tries == 1)
        measure(operator, clock_of(operator) - slot->started);
    else if (slot->tries == 2)
        suspect_time_out(&operator->window);
    strike(operator, slot, site);
}

/* A site is alive: what it still misses is not given up. It knows where the numbers are only if the one it acknowledges
 * is recent: one that refuses says the same old one again. If it was silent for long, what waits for it goes at once, or
 * goes on waiting for others that were: the tries until now were questions, and are not counted. */
static void heard(struct operator *operator, unsigned site, bool is_recent)
{
    struct peer *peer = &operator->peers[site];
    bool was_silent = is_recent && age_of(peer) == SILENT_SWEEPS;

    if (is_recent) {
        set_age(peer, 0);
        peer->asked = 0;
    }
    peer->flags &= (uint8_t)~PEER_SUSPECT;
    operator->window.silent -= was_silent;
    if (operator->window.waiting == 0)
        return;
    for (uint32_t sequence = operator->window.edge; sequence != operator->window.next; sequence++) {
        struct slot *slot = find_missing(operator, sequence, site);

        if (slot == NULL || slot->state != SLOT_WAITING)
            continue;
        if (was_silent) {
            slot->tries = 0;
            wait_until(operator, slot, clock_of(operator));
        } else if (slot->tries > BUSY_TRIES && clock_of(operator) - slot->started < BUSY_CLOCKS) {
            slot->tries = BUSY_TRIES;
        }
    }
}

void window_expect_silence(struct operator *operator)
{
    for (unsigned site = 0; site < operator->sites; site++) {
        if (site != operator->identity->site)
            set_age(&operator->peers[site], SILENT_SWEEPS);
    }
    operator->window.silent = (uint16_t)(operator->sites - 1);
}

bool window_has_silent(const struct operator *operator, unsigned site)
{
    return age_of(&operator->peers[site]) == SILENT_SWEEPS;
}

/* The window's sequence number with these low bits. */
static uint32_t full_sequence(const struct operator *operator, uint16_t sequence)
{
    uint32_t next = operator->window.next;

    return next + (uint32_t)(int16_t)(sequence - (uint16_t)next);
}

void window_acknowledged(struct operator *operator, unsigned site, const struct acknowledgement *acknowledgement)
{
    uint32_t sequence = full_sequence(operator, acknowledgement->sequence);
    bool is_recent = operator->window.next - sequence <= SWEEP_SEQUENCES;

    if (acknowledgement->epoch != (own_epoch(operator) & EPOCH_MASK))
        return;
    acknowledged(operator, sequence, site);
    for (uint32_t bitmap = acknowledgement->bitmap; bitmap != 0; bitmap >>= 1) {
        sequence--;
        if (bitmap & 1)
            acknowledged(operator, sequence, site);
    }
    heard(operator, site, is_recent);
}

void window_delivered_here(struct operator *operator, uint16_t sequence)
{
    acknowledged(operator, full_sequence(operator, sequence), operator->identity->site);
}

bool window_waits_for_itself(struct operator *operator, uint16_t sequence)
{
    const struct slot *slot = find_missing(operator, full_sequence(operator, sequence), operator->identity->site);

    return slot != NULL && slot->tries > 0;
}

void window_peer_restarted(struct operator *operator, unsigned site)
{
    uint32_t end = operator->window.sent;

    for (uint32_t sequence = operator->window.edge; (int32_t)(sequence - end) < 0; sequence++) {
        struct slot *slot = find_missing(operator, sequence, site);

        if (slot != NULL)
            give_up(operator, slot, site, OPERATOR_FAILED_RESTARTED);
    }
}

uint32_t window_base(struct operator *operator, unsigned site)
{
    uint32_t sequence = operator->window.edge;

    while (sequence != operator->window.next && find_missing(operator, sequence, site) == NULL)
        sequence++;
    return sequence;
}

static void time_out(struct operator *operator, struct slot *slot)
{
    if (slot->tries >= SUSPECT_TRIES)
        give_up_missing(operator, slot, slot->tries < TRIES_MAX);
    if (slot->state != SLOT_WAITING)
        return;
    set_state(operator, slot, SLOT_QUEUED);
    count(operator, COUNTER_TIME_OUTS);
    report(operator, OPERATOR_EVENT_TIMED_OUT, slot, slot->missing);
}

bool window_time_outs(struct operator *operator)
{
    struct window *window = &operator->window;
    uint32_t clock, earliest;
    bool any = false;

    if (window->waiting == 0)
        return false;
    clock = clock_of(operator);
    if (!has_come(clock, window->deadline))
        return false;
    earliest = clock + 2 * most_time_out(window);
    for (uint32_t sequence = window->edge; sequence != window->next; sequence++) {
        struct slot *slot = slot_of(operator, sequence);

        if (slot->state == SLOT_WAITING && has_come(clock, slot->deadline)) {
            time_out(operator, slot);
            any = true;
        } else if (slot->state == SLOT_WAITING && has_come(earliest, slot->deadline)) {
            earliest = slot->deadline;
        }
    }
    window->deadline = earliest;
    return any;
}
