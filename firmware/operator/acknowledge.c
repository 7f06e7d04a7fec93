/* Acknowledgements: one a source is due at a time. They wait a while, so that several packets share one and data going
 * the other way can carry it (1 or 2 words more); else they leave as a packet of 4 or 5 words on a link.
 *
 * They go in strict dimension order, never diverted: an old one cannot lie about in some site's storage until its
 * 11 bits of sequence number mean another packet.
 */
#include "operator/operator_private.h"
#include "operator/pool.h"

/* Clocks that an acknowledgement, or what it is for, may lie here, as when the operator was stopped. A source does not
 * give up a packet that soon (TRIES_MAX time-outs), so its window has not moved on by then. */
enum { AGE_MAX = 1 << 17 };

static uint16_t due_time(uint32_t clock)
{
    return (uint16_t)((clock + PEER_DUE_CLOCKS - 1) / PEER_DUE_CLOCKS);
}

/* Clocks from now until a peer's acknowledgement is due; negative: overdue. */
static int32_t due_in(const struct peer *peer, uint32_t clock)
{
    return (int16_t)(peer->due - (uint16_t)(clock / PEER_DUE_CLOCKS)) * PEER_DUE_CLOCKS;
}

static void no_longer_due(struct operator *operator, unsigned site)
{
    set_remove(operator->due, site);
    operator->due_count--;
}

void acknowledge_forget(struct operator *operator, unsigned site)
{
    if (set_has(operator->due, site))
        no_longer_due(operator, site);
}

void acknowledge_drop_old(struct operator *operator)
{
    uint32_t clock = clock_of(operator), stood = clock - operator->polled;

    operator->polled = clock;
    if (stood <= AGE_MAX)
        return;
    for (unsigned k = 0; k < OPERATOR_SET_WORDS(operator->sites); k++)
        operator->due[k] = 0;
    operator->due_count = 0;
}

void acknowledge(struct operator *operator, unsigned site, uint16_t sequence, uint32_t arrived, uint32_t patience)
{
    struct peer *peer = &operator->peers[site];
    uint32_t clock = clock_of(operator);

    if (clock - arrived > AGE_MAX)
        return;
    if (site == operator->identity->site) {
        window_delivered_here(operator, sequence);
        return;
    }
    if (set_has(operator->due, site)) {
        peer->flags |= PEER_BITMAP_DUE;
        return;
    }
    set_add(operator->due, site);
    peer->flags &= (uint8_t)~PEER_BITMAP_DUE;
    peer->acknowledge = sequence;
    peer->due = due_time(clock + patience);
    if (operator->due_count++ == 0 || has_come(operator->next_due, clock + patience))
        operator->next_due = clock + patience;
}

unsigned acknowledge_carried_words(const struct operator *operator, unsigned site)
{
    if (operator->due_count == 0 || !set_has(operator->due, site))
        return 0;
    return operator->peers[site].flags & PEER_BITMAP_DUE ? ACKNOWLEDGEMENT_WORDS : 1;
}

struct acknowledgement acknowledge_carry(struct operator *operator, unsigned site, unsigned words)
{
    const struct peer *peer = &operator->peers[site];
    struct acknowledgement acknowledgement = { .sequence = peer->acknowledge, .epoch = peer->epoch };

    if (words == ACKNOWLEDGEMENT_WORDS) {
        acknowledgement.sequence = (uint16_t)peer->highest;
        acknowledgement.bitmap = peer->received;
    }
    if (set_has(operator->due, site) && acknowledge_carried_words(operator, site) <= words)
        no_longer_due(operator, site);
    return acknowledgement;
}

/* The first site whose time has come; else notes when to look again. */
static unsigned find_due(struct operator *operator, uint32_t clock)
{
    int32_t earliest = INT32_MAX;

    for (unsigned site = set_next(operator->due, 0, operator->sites); site < operator->sites;
         site = set_next(operator->due, site + 1, operator->sites)) {
        int32_t in = due_in(&operator->peers[site], clock);

        if (in <= 0)
            return site;
        if (in < earliest)
            earliest = in;
    }
    operator->next_due = clock + (uint32_t)earliest;
    return operator->sites;
}

bool acknowledge_send(struct operator *operator)
{
    uint32_t clock = clock_of(operator);
    struct header header = { .kind = HEADER_KIND_ACKNOWLEDGEMENT, .source = (uint16_t)operator->identity->site };
    unsigned site;

    if (operator->due_count == 0 || operator->small == 0 || !has_come(clock, operator->next_due))
        return false;
    site = find_due(operator, clock);
    if (site == operator->sites)
        return false;
    header.carried = (uint8_t)acknowledge_carried_words(operator, site);
    header.acknowledgement = acknowledge_carry(operator, site, header.carried);
    pool_queue_small(operator, site, &header);
    count(operator, COUNTER_ACKNOWLEDGEMENTS);
    return true;
}

bool acknowledge_next(const struct operator *operator, uint32_t *clock)
{
    *clock = operator->next_due;
    return operator->due_count > 0 && operator->small > 0 && operator->sending < operator->sending_max;
}
