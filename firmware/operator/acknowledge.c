/* Acknowledgements: one a source is due at a time. They wait a while, so that several packets share one and data going
 * the other way can carry it (2 words more); else they leave as a packet of 5 words on a link.
 *
 * Those that choose their way get round a dead link, but may be diverted to a site that has no room for them; those in
 * strict dimension order the other way round. A site changes to the other kind when an acknowledgement got lost.
 *
 * What has got too old is not acknowledged: its sequence number might mean another packet by then. The source sends its
 * packet again, and the copy is acknowledged.
 */
#include "operator/operator_private.h"
#include "operator/pool.h"

/* Clocks that a packet and then its acknowledgement may lie here, as when the operator is slow or was stopped. A source
 * takes longer to come round to the same sequence number: 65536 packets of 5 words at least. */
enum { AGE_MAX = 1 << 18 };

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

void acknowledge_otherwise(struct operator *operator, unsigned site)
{
    operator->peers[site].flags ^= PEER_STRICT;
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
        if ((int16_t)(sequence - peer->acknowledge) < 0)
            peer->acknowledge = sequence;
        return;
    }
    set_add(operator->due, site);
    peer->acknowledge = sequence;
    peer->due = clock + patience;
    if (operator->due_count++ == 0 || has_come(operator->next_due, clock + patience))
        operator->next_due = clock + patience;
}

bool acknowledge_is_due(const struct operator *operator, unsigned site)
{
    return operator->due_count > 0 && set_has(operator->due, site);
}

struct acknowledgement acknowledge_take(struct operator *operator, unsigned site)
{
    const struct peer *peer = &operator->peers[site];
    uint16_t behind = (uint16_t)(peer->highest - peer->acknowledge);

    no_longer_due(operator, site);
    if (behind <= ACKNOWLEDGEMENT_SPAN || behind > PEER_SPAN)    /* a base may have gone far beyond */
        behind = 0;
    return (struct acknowledgement){
        .sequence = (uint16_t)(peer->highest - behind),
        .bitmap = behind < PEER_SPAN ? (uint16_t)(peer->received >> behind) : 0,
        .epoch = peer->epoch & EPOCH_MASK,
    };
}

static void send(struct operator *operator, unsigned site)
{
    struct header header = { .kind = HEADER_KIND_ACKNOWLEDGEMENT, .source = (uint16_t)operator->identity->site };

    header.acknowledgement = acknowledge_take(operator, site);
    pool_queue_small(operator, site, &header, operator->peers[site].flags & PEER_STRICT);
    count(operator, COUNTER_ACKNOWLEDGEMENTS);
}

void acknowledge_before(struct operator *operator, unsigned site, uint16_t sequence)
{
    const struct peer *peer = &operator->peers[site];
    uint16_t newest = (uint16_t)peer->highest, oldest = peer->acknowledge;

    if (!acknowledge_is_due(operator, site))
        return;
    if ((int16_t)(sequence - newest) > 0)
        newest = sequence;
    if ((int16_t)(sequence - oldest) < 0)
        oldest = sequence;
    if ((uint16_t)(newest - oldest) <= ACKNOWLEDGEMENT_SPAN)
        return;
    if (operator->small > 0)
        send(operator, site);
    else
        no_longer_due(operator, site);
}

/* The first site whose time has come; else notes when to look again. */
static unsigned find_due(struct operator *operator, uint32_t clock)
{
    int32_t earliest = INT32_MAX;

    for (unsigned site = set_next(operator->due, 0, operator->sites); site < operator->sites;
         site = set_next(operator->due, site + 1, operator->sites)) {
        int32_t in = (int32_t)(operator->peers[site].due - clock);

        if (in <= 0)
            return site;
        if (in < earliest)
            earliest = in;
    }
    operator->next_due = clock + (uint32_t)earliest;
    return operator->sites;
}

NOT_INLINED bool acknowledge_send(struct operator *operator)
{
    uint32_t clock = clock_of(operator);
    unsigned site;

    if (operator->due_count == 0 || operator->small == 0 || !has_come(clock, operator->next_due))
        return false;
    site = find_due(operator, clock);
    if (site == operator->sites)
        return false;
    send(operator, site);
    return true;
}

bool acknowledge_next(const struct operator *operator, uint32_t *clock)
{
    *clock = operator->next_due;
    return operator->due_count > 0 && operator->small > 0 && operator->sending < operator->sending_max;
}
