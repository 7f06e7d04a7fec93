/* Delayed and piggybacked acknowledgements. At most one is due to each source. It waits for a while, so that it can
 * cover several packets and ride on data that goes the other way (2 more words). Otherwise it leaves as a packet of 5
 * words on a link.
 *
 * What has become too old is not acknowledged, because its 16-bit sequence number might name another packet by then.
 * The source retransmits the packet, and the copy is acknowledged.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/acknowledge.h"

#include "operator/control_packet.h"
#include "operator/site_set.h"

/* Clocks that a packet, and then its acknowledgement, may stay here, as when the operator is slow or was stopped. A
 * source takes longer until it uses a sequence number again: it sends 65536 packets of at least 5 words. */
enum { AGE_MAX = 1 << 18 };

static void no_longer_due(struct pr_acknowledgements *acknowledgements, unsigned site)
{
    pr_site_set_remove(acknowledgements->due, site);
    acknowledgements->count--;
}

PR_RARE void pr_acknowledge_forget(struct pr_acknowledgements *acknowledgements, unsigned site)
{
    if (pr_site_set_has(acknowledgements->due, site))
        no_longer_due(acknowledgements, site);
}

PR_RARE static void drop_all(struct pr_acknowledgements *acknowledgements)
{
    for (unsigned k = 0; k < PR_OPERATOR_SET_WORDS(acknowledgements->common->here.sites); k++)
        acknowledgements->due[k] = 0;
    acknowledgements->count = 0;
}

bool pr_acknowledge_drop_old(struct pr_acknowledgements *acknowledgements, uint32_t clock)
{
    uint32_t stood = clock - acknowledgements->polled;
    acknowledgements->polled = clock;
    if (PR_LIKELY(stood <= AGE_MAX || !acknowledgements->common->here.reliable))
        return false;
    drop_all(acknowledgements);
    return true;
}

bool pr_acknowledge_is_too_late(const struct pr_acknowledgements *acknowledgements, uint32_t arrived)
{
    return pr_clock_of(&acknowledgements->common->here) - arrived > AGE_MAX;
}

void pr_acknowledge(struct pr_acknowledgements *acknowledgements, unsigned site, uint16_t sequence, uint32_t arrived,
                    uint32_t delay)
{
    struct pr_peer *peer = &acknowledgements->common->peers[site];
    uint32_t clock = pr_clock_of(&acknowledgements->common->here);
    if (pr_acknowledge_is_too_late(acknowledgements, arrived))
        return;
    if (pr_site_set_has(acknowledgements->due, site)) {
        if ((int16_t)(sequence - peer->acknowledge) < 0)
            peer->acknowledge = sequence;
        return;
    }
    pr_site_set_add(acknowledgements->due, site);
    peer->acknowledge = sequence;
    peer->due = clock + delay;
    if (acknowledgements->count++ == 0 || pr_has_come(acknowledgements->next, clock + delay))
        acknowledgements->next = clock + delay;
}

bool pr_acknowledge_is_due(const struct pr_acknowledgements *acknowledgements, unsigned site)
{
    return acknowledgements->count > 0 && pr_site_set_has(acknowledgements->due, site);
}

struct pr_acknowledgement pr_acknowledge_take(struct pr_acknowledgements *acknowledgements, unsigned site)
{
    const struct pr_peer *peer = &acknowledgements->common->peers[site];
    uint16_t behind = (uint16_t)(peer->highest - peer->acknowledge);
    no_longer_due(acknowledgements, site);
    if (behind <= PR_ACKNOWLEDGEMENT_SPAN || behind > PR_PEER_SPAN) /* a base may have moved `highest` far ahead */
        behind = 0;
    return (struct pr_acknowledgement){
        .sequence = (uint16_t)(peer->highest - behind),
        .bitmap = behind < PR_PEER_SPAN ? (uint16_t)(peer->received >> behind) : 0,
        .epoch = peer->epoch & PR_EPOCH_MASK,
    };
}

static void send(struct pr_acknowledgements *acknowledgements, unsigned site)
{
    struct pr_header header = {.kind = PR_HEADER_KIND_ACKNOWLEDGEMENT,
                               .source = acknowledgements->common->here.identity->site};
    header.acknowledgement = pr_acknowledge_take(acknowledgements, site);
    pr_header_send(acknowledgements->common, site, &header);
    pr_count(&acknowledgements->common->events, PR_COUNTER_ACKNOWLEDGEMENTS);
}

void pr_acknowledge_before(struct pr_acknowledgements *acknowledgements, unsigned site, uint16_t sequence)
{
    const struct pr_peer *peer = &acknowledgements->common->peers[site];
    uint16_t newest = (uint16_t)peer->highest, oldest = peer->acknowledge;
    if (!pr_acknowledge_is_due(acknowledgements, site))
        return;
    if ((int16_t)(sequence - newest) > 0)
        newest = sequence;
    if ((int16_t)(sequence - oldest) < 0)
        oldest = sequence;
    if ((uint16_t)(newest - oldest) <= acknowledgements->span)
        return;
    if (acknowledgements->common->pool.small > 0)
        send(acknowledgements, site);
    else
        no_longer_due(acknowledgements, site);
}

/* The first source whose acknowledgement is to leave now. If there is none, sets the clock of the next search. */
static unsigned find_due(struct pr_acknowledgements *acknowledgements, uint32_t clock)
{
    const struct pr_common *common = acknowledgements->common;
    int32_t earliest = INT32_MAX;
    for (unsigned site = pr_site_set_next(acknowledgements->due, 0, common->here.sites); site < common->here.sites;
         site = pr_site_set_next(acknowledgements->due, site + 1, common->here.sites)) {
        int32_t in = (int32_t)(common->peers[site].due - clock);

        if (in <= 0)
            return site;
        if (in < earliest)
            earliest = in;
    }
    acknowledgements->next = clock + (uint32_t)earliest;
    return common->here.sites;
}

PR_NOT_INLINED bool pr_acknowledge_send(struct pr_acknowledgements *acknowledgements)
{
    uint32_t clock = pr_clock_of(&acknowledgements->common->here);
    unsigned site;
    if (acknowledgements->count == 0 || acknowledgements->common->pool.small == 0 ||
        !pr_has_come(clock, acknowledgements->next))
        return false;
    site = find_due(acknowledgements, clock);
    if (site == acknowledgements->common->here.sites)
        return false;
    send(acknowledgements, site);
    return true;
}

bool pr_acknowledge_next(const struct pr_acknowledgements *acknowledgements, uint32_t *clock)
{
    *clock = acknowledgements->next;
    return acknowledgements->count > 0 && acknowledgements->common->pool.small > 0;
}
