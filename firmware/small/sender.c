/* The packet of this site's own. With the reliable service it has one target, and is a send window of one place:
 *
 *                       own_send
 *                          |
 *         time-out         v          own_sent: it has left
 *        +-------------> LEAVES -----------------------------+
 *        |                                                   v      acknowledged, or given up
 *        |---------------------------------------------> WAITING ----------------------------> FREE
 *        |    the target is stale: a base leaves instead     |
 *        +---------------------------------------------------+
 *
 * A target that was silent while 16384 packets were sent is stale: it is asked with a base first, because the 16 bits
 * of a sequence number may have wrapped. So is every target after a restart of this site (firmware/README.md).
 *
 * With the raw service the packet leaves once for each target.
 *
 * SPDX-License-Identifier: ISC
 */
#include "small/small.h"

enum {
    TIME_OUT = 8192, /* clocks; doubled with each try, but for the last ones */
    DOUBLINGS_MAX = 3,
    JITTER_MASK = 0x7ff,
    TRIES_MAX = 8,         /* until a target that is silent is given up, be they packets or bases */
    BUSY_TRIES = 2,        /* that count against a target that acknowledges other packets, */
    BUSY_CLOCKS = 1 << 26, /* during this time since the first try */
    AGE_SEQUENCES = 8192   /* packets sent until a silent peer's age grows by one */
};

enum state { FREE, LEAVES, WAITING };

static uint8_t state, tries, handler;
static bool was_sent, is_settled;
static uint16_t target;
static uint32_t next, deadline, started; /* next: sequence number; started: clock of the first try */

bool pr_small_can_send(void)
{
    return state == FREE;
}

bool own_begin(unsigned of_handler)
{
    if (!pr_small_can_send()) {
        count(PR_COUNTER_WINDOW_FULL);
        return false;
    }
    handler = (uint8_t)of_handler;
    pr_packet_set_counts(own_packet(), 0, PR_HEADER_WORDS);
    return true;
}

/* Words that do not fit are counted all the same. */
static void put(unsigned at, uint32_t word)
{
    if (at < PACKET_WORDS)
        own_packet()->words[at] = word;
}

void own_target(unsigned site)
{
    struct pr_packet *packet = own_packet();
    uint32_t address = address_of(site);
    target = (uint16_t)site;
    for (unsigned k = 0; !RELIABLE && k < packet->target_words; k++) {
        if (packet->words[k] == address) /* O7 */
            return;
    }
    put(packet->target_words++, address);
}

void own_data(uint32_t word)
{
    struct pr_packet *packet = own_packet();
    put(packet->target_words + packet->data_words++, word & HALF_MASK);
}

void own_value(uint32_t value)
{
    own_data(value);
    own_data(value >> 16);
}

static void leave(void)
{
    state = LEAVES;
    port_send(own_packet());
}

static void wait(void)
{
    unsigned doublings = tries > DOUBLINGS_MAX ? DOUBLINGS_MAX : tries;
    state = WAITING;
    deadline = port_clock() + (TIME_OUT << doublings) + (port_clock() & JITTER_MASK);
}

static void try_once(void)
{
    if (peers[target].age == PEER_STALE) {
        tries += control_send(target, PR_CONTROL_TYPE_BASE, next - 1);
        wait();
        return;
    }
    tries++;
    was_sent = true;
    choose(own_packet(), 0);
    leave();
}

/* Each packet that is sent ages one peer, so that every peer's age grows by one in AGE_SEQUENCES packets. */
static void age_a_peer(void)
{
    unsigned site = next % AGE_SEQUENCES;
    if (site < here.sites && peers[site].age < PEER_STALE)
        peers[site].age++;
}

bool own_send(uint16_t *sequence)
{
    struct pr_packet *packet = own_packet();
    uint32_t *data = packet->words + packet->target_words;
    if (packet->target_words + packet->data_words > port_identity(PR_ID_MAX_PACKET))
        return false;
    data[PR_HEADER_SOURCE] = here.site;
    data[PR_HEADER_SEQUENCE] = *sequence = (uint16_t)next++;
    data[PR_HEADER_HANDLER] = handler;
    if (!RELIABLE) {
        choose(packet, 0);
        leave();
        return true;
    }
    data[PR_HEADER_HANDLER] |= (uint32_t)(here.epoch & EPOCH_MASK) << PR_HEADER_EPOCH_SHIFT;
    tries = 0;
    was_sent = is_settled = false;
    started = port_clock();
    age_a_peer();
    try_once();
    return true;
}

void own_sent(void)
{
    struct pr_packet *packet = own_packet();
    if (RELIABLE && !is_settled) {
        wait();
    } else if (!RELIABLE && packet->end_target < packet->target_words) {
        choose(packet, packet->end_target);
        leave();
    } else {
        state = FREE;
    }
}

/* The packet is acknowledged or given up. */
static void settle(void)
{
    is_settled = true;
    if (state == WAITING)
        state = FREE;
}

static void give_up(void)
{
    if (handler != PR_HANDLER_SERVICE) /* a failed answer is missed by the site that asked */
        count(PR_COUNTER_TARGETS_FAILED);
    settle();
}

static bool is_missing(unsigned site)
{
    return state != FREE && !is_settled && site == target;
}

void sender_acknowledged(unsigned site, const uint32_t *acknowledgement)
{
    uint32_t behind = (next - acknowledgement[PR_ACKNOWLEDGEMENT_SEQUENCE]) & HALF_MASK;
    struct peer *peer = &peers[site];
    bool was_stale = peer->age == PEER_STALE;
    if (acknowledgement[PR_ACKNOWLEDGEMENT_BITMAP] >> PR_ACKNOWLEDGEMENT_EPOCH_SHIFT != (here.epoch & EPOCH_MASK))
        return;
    if (behind <= AGE_SEQUENCES) /* a site that refuses packets repeats an old acknowledgement */
        peer->age = 0;
    if (!is_missing(site))
        return;
    if (behind == 1 && was_sent) {
        settle();
    } else if (was_stale && peer->age == 0) {
        tries = 0;
        deadline = port_clock();
    } else if (tries > BUSY_TRIES && port_clock() - started < BUSY_CLOCKS) {
        tries = BUSY_TRIES;
    }
}

void sender_peer_restarted(unsigned site)
{
    if (is_missing(site) && was_sent)
        give_up();
}

uint32_t sender_base(unsigned site)
{
    return next - is_missing(site);
}

bool sender_waits(uint32_t *clock)
{
    *clock = deadline;
    return state == WAITING;
}

void sender_poll(void)
{
    if (state != WAITING || (int32_t)(port_clock() - deadline) < 0)
        return;
    if (tries >= TRIES_MAX) {
        give_up();
        return;
    }
    count(PR_COUNTER_TIME_OUTS);
    try_once();
}

bool pr_small_send(unsigned site, unsigned to_handler, const uint32_t *data, unsigned words)
{
    uint16_t sequence;
    if (site >= here.sites || site == here.site || !own_begin(to_handler))
        return false;
    own_target(site);
    for (; words > 0; words--)
        own_data(*data++);
    return own_send(&sequence);
}
