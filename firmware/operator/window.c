/* See window.h. A slot's life: queued, sending, waiting for acknowledgements; after a time-out queued again, for the
 * targets that are missing; settled when none is. The first two tries of a multicast are multicasts, the later ones
 * unicasts, one after the other from the same buffer. Sent again, a unicast goes in strict dimension order and is not
 * diverted, but every other time it may choose its way, so that it gets round a dead link.
 */
#include "operator/operator_private.h"
#include "operator/packet_edit.h"
#include "operator/pool.h"

enum {
    MULTICAST_TRIES = 2,
    BASE_TRIES = 3,                 /* to reach a site that has been silent so long that numbers may have wrapped */
    SWEEP_SEQUENCES = 8192,
    SILENT_SWEEPS = 2,
    MEASURED_TRIES = 2,             /* nobody knows which try was answered: the first counts, lest it always be too late */
    SUSPECT_TRIES = 2,              /* to reach a site that was given up and has not been heard from since */
    TIME_OUT_FIRST = 4096,          /* clocks, before anything was measured */
    TIME_OUT_LEAST = 1024,
    TIME_OUT_MOST = 1 << 16,        /* also of the back-off */
    BACK_OFF_MOST = 4               /* doublings */
};

static struct slot *slot_of(struct operator *operator, uint32_t sequence)
{
    return &operator->window.slots[sequence % WINDOW_MAX];
}

static uint32_t *missing_of(const struct operator *operator, uint32_t sequence)
{
    return operator->window.missing + sequence % WINDOW_MAX * OPERATOR_SET_WORDS(operator->sites);
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

    for (unsigned k = 0; k < WINDOW_MAX * OPERATOR_SET_WORDS(operator->sites); k++)
        sets[k] = 0;
    window->missing = sets;
    window->size = (uint16_t)size;
    window->time_out = TIME_OUT_FIRST;
}

unsigned window_room(const struct operator *operator)
{
    return operator->window.size - (operator->window.next - operator->window.edge);
}

static void report(struct operator *operator, enum operator_event_kind kind, uint32_t sequence, unsigned remaining)
{
    struct operator_event event = {
        .kind = kind,
        .source = (uint16_t)operator->identity->site,
        .sequence = (uint16_t)sequence,
        .remaining = (uint16_t)remaining,
    };

    operator_report(operator, &event);
}

static void release(struct operator *operator, struct slot *slot)
{
    struct window *window = &operator->window;

    slot->state = SLOT_SETTLED;
    pool_release(operator, slot->packet);
    slot->packet = NULL;
    while (window->edge != window->next && slot_of(operator, window->edge)->packet == NULL)
        window->edge++;
}

/* One target fewer to wait for. */
static void strike(struct operator *operator, uint32_t sequence, unsigned site)
{
    struct slot *slot = slot_of(operator, sequence);

    set_remove(missing_of(operator, sequence), site);
    if (--slot->missing > 0)
        return;
    if (slot->state != SLOT_SENDING)
        release(operator, slot);
    report(operator, OPERATOR_EVENT_SETTLED, sequence, slot->failed);
}

static bool is_in_use(const struct operator *operator, uint32_t sequence)
{
    return sequence - operator->window.edge < operator->window.next - operator->window.edge;
}

static bool is_missing(struct operator *operator, uint32_t sequence, unsigned site)
{
    return is_in_use(operator, sequence) && slot_of(operator, sequence)->missing > 0 && set_has(missing_of(operator, sequence), site);
}

static void give_up(struct operator *operator, uint32_t sequence, unsigned site, enum operator_failure why)
{
    struct operator_event event = {
        .kind = OPERATOR_EVENT_FAILED,
        .source = (uint16_t)operator->identity->site,
        .sequence = (uint16_t)sequence,
        .site = (uint16_t)site,
        .failure = why,
    };

    count(operator, COUNTER_TARGETS_FAILED);
    slot_of(operator, sequence)->failed++;
    operator_report(operator, &event);
    strike(operator, sequence, site);
}

/* Gives up all targets that are missing, or those whose last packet was given up as well. Counts, as the slot may be
 * another packet's after the last of them. */
static void give_up_missing(struct operator *operator, uint32_t sequence, bool suspects_only)
{
    const uint32_t *missing = missing_of(operator, sequence);
    unsigned site = 0;

    for (unsigned left = slot_of(operator, sequence)->missing; left > 0; left--, site++) {
        struct peer *peer;

        site = set_next(missing, site, operator->sites);
        peer = &operator->peers[site];
        if (suspects_only && !(peer->flags & PEER_SUSPECT))
            continue;
        peer->flags |= PEER_SUSPECT;
        give_up(operator, sequence, site, OPERATOR_FAILED_TIME_OUT);
    }
}

/* Sites that have not been heard from for long are asked before they get data (control.c). */
static void sweep(struct operator *operator)
{
    operator->window.silent = 0;
    for (unsigned site = 0; site < operator->sites; site++) {
        struct peer *peer = &operator->peers[site];

        if (age_of(peer) < SILENT_SWEEPS && site != operator->identity->site)
            set_age(peer, age_of(peer) + 1);
        operator->window.silent += age_of(peer) == SILENT_SWEEPS;
    }
}

uint16_t window_add(struct operator *operator, struct packet *packet)
{
    struct window *window = &operator->window;
    uint32_t sequence = window->next++;
    struct slot *slot = slot_of(operator, sequence);
    uint32_t *missing = missing_of(operator, sequence);
    struct header header = {
        .kind = HEADER_KIND_DATA,
        .source = (uint16_t)operator->identity->site,
        .sequence = (uint16_t)sequence,
        .epoch = own_epoch(operator),
    };
    uint32_t *data = packet->words + packet_target_words(packet);

    if (sequence % SWEEP_SEQUENCES == 0)
        sweep(operator);
    *slot = (struct slot){ .packet = packet, .state = SLOT_QUEUED, .ordered = window->ordered };
    packet->role = ROLE_WINDOW + sequence % WINDOW_MAX;
    header.handler = (uint8_t)data[HEADER_HANDLER];
    header_encode(&header, data, operator->strict_bit);
    for (unsigned k = 0; k < packet_target_words(packet); k++) {
        if (!packet_is_info(packet, k)) {
            set_add(missing, node_identity_site(operator->identity, packet->words[k]));
            slot->missing++;
        }
    }
    return (uint16_t)sequence;
}

/* True while an earlier packet waits for one of the same targets. */
static bool is_held_back(struct operator *operator, uint32_t sequence)
{
    const uint32_t *missing = missing_of(operator, sequence);

    for (uint32_t earlier = operator->window.edge; earlier != sequence; earlier++) {
        if (slot_of(operator, earlier)->missing == 0)
            continue;
        for (unsigned k = 0; k < OPERATOR_SET_WORDS(operator->sites); k++) {
            if (missing_of(operator, earlier)[k] & missing[k])
                return true;
        }
    }
    return false;
}

struct missing_entries {
    const struct operator *operator;
    const uint32_t *missing;
};

static bool entry_is_missing(const void *context, uint32_t site_word)
{
    const struct missing_entries *entries = context;

    return set_has(entries->missing, node_identity_site(entries->operator->identity, site_word));
}

static void keep_missing(struct operator *operator, uint32_t sequence)
{
    struct missing_entries entries = { operator, missing_of(operator, sequence) };

    packet_keep_entries(slot_of(operator, sequence)->packet, entry_is_missing, &entries);
}

/* An acknowledgement that is due to a unicast's target goes with it, in place of one that went with it before. */
static void carry(struct operator *operator, uint32_t sequence)
{
    struct packet *packet = slot_of(operator, sequence)->packet;
    unsigned site = node_identity_site(operator->identity, packet->words[0]);
    bool due = acknowledge_is_due(operator, site);
    uint32_t *data = packet->words + packet_target_words(packet);
    struct header header;
    unsigned words;

    header_decode(&header, data, packet_data_words(packet), operator->strict_bit);
    if (header.carries)
        packet_remove_data(packet, HEADER_WORDS, ACKNOWLEDGEMENT_WORDS);
    else if (!due)
        return;
    words = packet_target_words(packet) + packet_data_words(packet) + ACKNOWLEDGEMENT_WORDS;
    header.carries = due && words <= operator->identity->max_packet && words <= operator->packet_words;
    if (header.carries) {
        packet_insert_data(packet, HEADER_WORDS, ACKNOWLEDGEMENT_WORDS);
        header.acknowledgement = acknowledge_take(operator, site);
        count(operator, COUNTER_ACKNOWLEDGEMENTS_CARRIED);
    }
    header_encode(&header, data, operator->strict_bit);
}

/* The packet as it is to leave in this try, or in what is left of it. */
static void prepare(struct operator *operator, uint32_t sequence)
{
    struct slot *slot = slot_of(operator, sequence);
    struct packet *packet = slot->packet;
    bool next_unicast = slot->unicasts > 0, several, strict;

    if (packet->stored > 0)
        packet_join(packet);
    keep_missing(operator, sequence);    /* before the first try too: a target may be given up while a packet waits */
    several = slot->missing > 1;
    if (next_unicast) {
        packet_rotate_targets(packet);
        slot->unicasts = slot->unicasts < slot->missing ? slot->unicasts : slot->missing;
    } else {
        slot->tries++;
        if (several && (slot->tries > MULTICAST_TRIES || !operator->interface->multicast))
            slot->unicasts = slot->missing;
        strict = slot->tries > 1 && (slot->tries & 1) == several;
        packet_mark_sites(packet, operator->strict_bit, strict);
    }
    packet->kind = several ? KIND_MULTICAST : 0;
    if (several && slot->unicasts > 0)
        packet_peel_first(packet);
    if (slot->missing == 1)
        carry(operator, sequence);
}

static uint32_t random_below(struct operator *operator, uint32_t power_of_two)
{
    operator->random ^= operator->random << 13;
    operator->random ^= operator->random >> 17;
    operator->random ^= operator->random << 5;
    return operator->random & (power_of_two - 1);
}

/* Waits, longer after every try, and never for the same time twice. */
static void start_waiting(struct operator *operator, struct slot *slot)
{
    unsigned doublings = slot->tries > BACK_OFF_MOST ? BACK_OFF_MOST : slot->tries - 1u;
    uint32_t clocks = operator->window.time_out << doublings;

    if (clocks > TIME_OUT_MOST)
        clocks = TIME_OUT_MOST;
    slot->state = SLOT_WAITING;
    slot->deadline = clock_of(operator) + clocks + random_below(operator, TIME_OUT_LEAST / 2);
}

/* Asks the targets that have been silent for long, a few times, and then gives them up. True if there were any: the
 * packet does not go now. */
static bool asks_silent(struct operator *operator, uint32_t sequence)
{
    struct slot *slot = slot_of(operator, sequence);
    const uint32_t *missing = missing_of(operator, sequence);
    bool last = slot->tries >= BASE_TRIES, any = false;
    unsigned site = 0;

    if (operator->window.silent == 0)
        return false;
    for (unsigned left = slot->missing; left > 0; left--, site++) {
        site = set_next(missing, site, operator->sites);
        if (age_of(&operator->peers[site]) < SILENT_SWEEPS)
            continue;
        any = true;
        if (last)
            give_up(operator, sequence, site, OPERATOR_FAILED_TIME_OUT);
        else
            control_send(operator, site, CONTROL_TYPE_BASE);
    }
    if (any && !last) {
        slot->tries++;
        start_waiting(operator, slot);
    }
    return any;
}

/* Sends what a queued slot has to send. False: the network_interface has no room. */
static bool send_slot(struct operator *operator, uint32_t sequence)
{
    struct slot *slot = slot_of(operator, sequence);

    if (asks_silent(operator, sequence))
        return true;
    if (network_interface_send_room(operator->interface) == 0)
        return false;
    prepare(operator, sequence);
    if (slot->tries == 1)
        slot->started = clock_of(operator);
    slot->state = SLOT_SENDING;
    network_interface_send(operator->interface, slot->packet);
    operator->sending++;
    if ((int32_t)(sequence - operator->window.sent) >= 0)
        operator->window.sent = sequence + 1;
    return true;
}

bool window_send(struct operator *operator)
{
    struct window *window = &operator->window;

    for (uint32_t sequence = window->edge; sequence != window->next; sequence++) {
        const struct slot *slot = slot_of(operator, sequence);

        if (slot->state == SLOT_QUEUED && slot->packet != NULL &&
            !(slot->ordered && is_held_back(operator, sequence)))
            return send_slot(operator, sequence);
    }
    return false;
}

void window_sent(struct operator *operator, struct packet *packet)
{
    struct slot *slot = &operator->window.slots[packet->role - ROLE_WINDOW];

    if (slot->missing == 0) {
        release(operator, slot);
        return;
    }
    if (slot->unicasts > 0 && --slot->unicasts > 0)
        slot->state = SLOT_QUEUED;
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
    if (window->time_out < TIME_OUT_LEAST)
        window->time_out = TIME_OUT_LEAST;
    if (window->time_out > TIME_OUT_MOST)
        window->time_out = TIME_OUT_MOST;
}

static void acknowledged(struct operator *operator, uint32_t sequence, unsigned site)
{
    const struct slot *slot = slot_of(operator, sequence);

    if (!is_missing(operator, sequence, site))
        return;
    if (slot->tries <= MEASURED_TRIES)
        measure(operator, clock_of(operator) - slot->started);
    strike(operator, sequence, site);
}

/* A site that was silent for long is heard again: what waited for that goes at once. */
static void wake_waiting(struct operator *operator, unsigned site)
{
    for (uint32_t sequence = operator->window.edge; sequence != operator->window.next; sequence++) {
        struct slot *slot = slot_of(operator, sequence);

        if (slot->state == SLOT_WAITING && is_missing(operator, sequence, site))
            slot->deadline = clock_of(operator);
    }
}

void window_acknowledged(struct operator *operator, unsigned site, const struct acknowledgement *acknowledgement)
{
    struct peer *peer = &operator->peers[site];
    uint32_t next = operator->window.next;
    uint32_t sequence = next + (uint32_t)(int16_t)(acknowledgement->sequence - (uint16_t)next);

    if (acknowledgement->epoch != own_epoch(operator))
        return;
    if (age_of(peer) == SILENT_SWEEPS) {
        operator->window.silent--;
        wake_waiting(operator, site);
    }
    set_age(peer, 0);
    peer->flags &= (uint8_t)~PEER_SUSPECT;
    acknowledged(operator, sequence, site);
    for (unsigned k = 0; k < ACKNOWLEDGEMENT_SPAN; k++) {
        if (acknowledgement->bitmap >> k & 1)
            acknowledged(operator, sequence - 1 - k, site);
    }
}

void window_delivered_here(struct operator *operator, uint16_t sequence)
{
    uint32_t full = operator->window.next + (uint32_t)(int16_t)(sequence - (uint16_t)operator->window.next);

    acknowledged(operator, full, operator->identity->site);
}

void window_peer_restarted(struct operator *operator, unsigned site)
{
    uint32_t end = operator->window.sent;

    for (uint32_t sequence = operator->window.edge; (int32_t)(sequence - end) < 0; sequence++) {
        if (is_missing(operator, sequence, site))
            give_up(operator, sequence, site, OPERATOR_FAILED_RESTARTED);
    }
}

uint32_t window_base(struct operator *operator, unsigned site)
{
    uint32_t sequence = operator->window.edge;

    while (sequence != operator->window.next && !is_missing(operator, sequence, site))
        sequence++;
    return sequence;
}

static void time_out(struct operator *operator, uint32_t sequence)
{
    struct slot *slot = slot_of(operator, sequence);

    if (slot->tries >= SUSPECT_TRIES)
        give_up_missing(operator, sequence, slot->tries < TRIES_MAX);
    if (slot->state != SLOT_WAITING || !is_in_use(operator, sequence))
        return;
    slot->state = SLOT_QUEUED;
    count(operator, COUNTER_TIME_OUTS);
    report(operator, OPERATOR_EVENT_TIMED_OUT, sequence, slot->missing);
}

bool window_time_outs(struct operator *operator)
{
    uint32_t clock = clock_of(operator);
    bool any = false;

    for (uint32_t sequence = operator->window.edge; sequence != operator->window.next; sequence++) {
        const struct slot *slot = slot_of(operator, sequence);

        if (slot->state == SLOT_WAITING && has_come(clock, slot->deadline)) {
            time_out(operator, sequence);
            any = true;
        }
    }
    return any;
}

bool window_next_deadline(struct operator *operator, uint32_t *clock)
{
    bool any = false;

    for (uint32_t sequence = operator->window.edge; sequence != operator->window.next; sequence++) {
        const struct slot *slot = slot_of(operator, sequence);

        if (slot->state != SLOT_WAITING || (any && has_come(slot->deadline, *clock)))
            continue;
        *clock = slot->deadline;
        any = true;
    }
    return any;
}
