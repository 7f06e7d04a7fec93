/* See relay_acknowledge.h.
 *
 *   this site and its children have all got the packet ------> acknowledgement for the subtree, to the parent
 *   the deadline comes before -------------------------------> those of this site and of complete children, to the
 * source an acknowledgement of a child comes later, or nobody awaits it here -----> it goes on to the source as it is
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/relay_acknowledge.h"

#include "operator/control_packet.h"
#include "operator/relays.h"
#include "operator/target_list.h"

enum {
    AWAIT_CLOCKS = 4096, /* longer than most round trips of subtrees. The source has a time-out of its own */
    DELAY_CLOCKS = 16,   /* that an acknowledgement waits for another one to the same site */
    SITE_MASK = PR_RELAY_ACKNOWLEDGEMENT_SITES_MAX - 1
};

static uint16_t source_and_epoch(unsigned source, unsigned epoch)
{
    return (uint16_t)(source | (epoch & PR_EPOCH_MASK) * PR_RELAY_ACKNOWLEDGEMENT_SITES_MAX);
}

static void put(struct pr_relay_acknowledgements *acknowledgements, unsigned to, unsigned from, unsigned source,
                unsigned sequence, uint32_t delay)
{
    uint32_t due = pr_clock_of(&acknowledgements->common->here) + delay;
    if (acknowledgements->waiting == PR_RELAY_ACKNOWLEDGEMENTS_MAX)
        return;
    if (acknowledgements->waiting == 0 || !pr_has_come(due, acknowledgements->due))
        acknowledgements->due = due;
    acknowledgements->queue[acknowledgements->waiting++] = (struct pr_relay_acknowledgement){
        due, (uint16_t)to, (uint16_t)from, (uint16_t)source, (uint16_t)sequence};
}

/* ---- a packet that is sent on ---- */

static struct pr_relayed *free_place(struct pr_relay_acknowledgements *acknowledgements)
{
    struct pr_relayed *relayed = acknowledgements->relayed;
    if (acknowledgements->awaited == PR_RELAYED_MAX)
        return NULL;
    while (relayed->missing != 0)
        relayed++;
    return relayed;
}

/* The children in the list behind target word 0. False: there are too many. */
static bool note_children(const struct pr_here *here, const struct pr_packet *packet, struct pr_relayed *relayed)
{
    unsigned count = 0, end = pr_packet_target_words(packet);
    relayed->sites[count++] = (uint16_t)here->identity->site;
    for (unsigned k = 1; k < end; k = pr_relay_subtree_end(here, packet, k)) {
        if (count > PR_RELAY_CHILDREN_MAX)
            return false;
        relayed->sites[count++] = (uint16_t)pr_site_identity_site(here->identity, packet->words[k]);
    }
    relayed->count = (uint8_t)count;
    return true;
}

/* Puts a parent word behind the header, for which the site word of this site makes room. */
static void insert_parent(struct pr_packet *packet)
{
    unsigned list = pr_packet_target_words(packet) - 1;
    for (unsigned k = 0; k < list + PR_HEADER_WORDS; k++)
        packet->words[k] = packet->words[k + 1];
    pr_packet_set_counts(packet, list, pr_packet_data_words(packet) + PR_HEADER_PARENT_WORDS);
    packet->words[list + PR_HEADER_HANDLER] |= 1u << PR_HEADER_PARENT_BIT;
    packet->first_target = 0;
}

static void remove_parent(struct pr_packet *packet)
{
    packet->words[pr_packet_target_words(packet) + PR_HEADER_HANDLER] &= ~(1u << PR_HEADER_PARENT_BIT);
    pr_packet_remove_data(packet, PR_HEADER_WORDS, PR_HEADER_PARENT_WORDS);
}

void pr_relay_await(struct pr_relay_acknowledgements *acknowledgements, struct pr_packet *packet)
{
    const struct pr_here *here = &acknowledgements->common->here;
    uint32_t *data = packet->words + pr_packet_target_words(packet), flags = data[PR_HEADER_HANDLER];
    bool has_parent = flags >> PR_HEADER_PARENT_BIT & 1;
    unsigned source = data[PR_HEADER_SOURCE], parent = has_parent ? data[PR_HEADER_WORDS] : source;
    struct pr_relayed *relayed = free_place(acknowledgements);
    packet->first_target = 1;
    if (!relayed || here->sites > PR_RELAY_ACKNOWLEDGEMENT_SITES_MAX || parent >= here->sites ||
        !note_children(here, packet, relayed)) {
        if (has_parent)
            remove_parent(packet);
        return;
    }
    relayed->deadline = pr_clock_of(here) + AWAIT_CLOCKS;
    relayed->source = source_and_epoch(source, flags >> PR_HEADER_EPOCH_SHIFT);
    relayed->sequence = (uint16_t)data[PR_HEADER_SEQUENCE];
    relayed->parent = (uint16_t)parent;
    relayed->missing = (uint16_t)((1u << relayed->count) - 1);
    if (acknowledgements->awaited++ == 0 || !pr_has_come(relayed->deadline, acknowledgements->deadline))
        acknowledgements->deadline = relayed->deadline;
    if (!has_parent)
        insert_parent(packet);
    packet->words[pr_packet_target_words(packet) + PR_HEADER_WORDS] = here->identity->site;
}

/* ---- what has come ---- */

/* `site` is awaited no longer. False: it was not. */
static bool settle(struct pr_relay_acknowledgements *acknowledgements, unsigned site, unsigned source,
                   unsigned sequence)
{
    unsigned own = acknowledgements->common->here.identity->site, left = acknowledgements->awaited;
    for (struct pr_relayed *relayed = acknowledgements->relayed; left > 0; relayed++) {
        left -= relayed->missing != 0;
        if (relayed->missing == 0 || relayed->source != source || relayed->sequence != sequence)
            continue;
        for (unsigned k = 0; k < relayed->count; k++) {
            if (relayed->sites[k] != site || !(relayed->missing >> k & 1))
                continue;
            relayed->missing &= (uint16_t) ~(1u << k);
            if (relayed->missing == 0) {
                acknowledgements->awaited--;
                put(acknowledgements, relayed->parent, own, source, sequence, DELAY_CLOCKS);
            }
            return true;
        }
    }
    return false;
}

bool pr_relay_delivered(struct pr_relay_acknowledgements *acknowledgements, const struct pr_header *header)
{
    return settle(acknowledgements, acknowledgements->common->here.identity->site,
                  source_and_epoch(header->source, header->epoch), header->sequence);
}

void pr_relay_acknowledge(struct pr_relay_acknowledgements *acknowledgements, const struct pr_header *header)
{
    put(acknowledgements, header->parent, acknowledgements->common->here.identity->site,
        source_and_epoch(header->source, header->epoch), header->sequence, DELAY_CLOCKS);
}

void pr_relay_acknowledged(struct pr_relay_acknowledgements *acknowledgements, unsigned from, const uint32_t *words)
{
    unsigned source = words[PR_RELAY_ACKNOWLEDGEMENT_SOURCE], sequence = words[PR_RELAY_ACKNOWLEDGEMENT_SEQUENCE];
    if (!settle(acknowledgements, from, source, sequence) &&
        (source & SITE_MASK) < acknowledgements->common->here.sites)
        put(acknowledgements, source & SITE_MASK, from, source, sequence, 0);
}

/* ---- time ---- */

/* The source learns what has come. The acknowledgement of this site itself covers others of its packets as well; the
 * source may have restarted meanwhile. */
static void give_up(struct pr_relay_acknowledgements *acknowledgements, struct pr_relayed *relayed, uint32_t clock)
{
    unsigned source = relayed->source & SITE_MASK, epoch = relayed->source / PR_RELAY_ACKNOWLEDGEMENT_SITES_MAX;
    const struct pr_peer *peer = &acknowledgements->common->peers[source];
    bool has_it = !(relayed->missing & 1);
    if (has_it && epoch == (peer->epoch & PR_EPOCH_MASK) && !(peer->flags & PR_PEER_FRESH)) {
        pr_acknowledge_before(acknowledgements->alone, source, relayed->sequence);
        pr_acknowledge(acknowledgements->alone, source, relayed->sequence, clock, 0);
    }
    for (unsigned k = 1; k < relayed->count; k++)
        if (!(relayed->missing >> k & 1))
            put(acknowledgements, source, relayed->sites[k], relayed->source, relayed->sequence, 0);
    relayed->missing = 0;
    acknowledgements->awaited--;
}

bool pr_relay_time_outs(struct pr_relay_acknowledgements *acknowledgements, uint32_t clock)
{
    unsigned left = acknowledgements->awaited;
    uint32_t earliest = clock + AWAIT_CLOCKS;
    bool any = false;
    if (left == 0 || !pr_has_come(clock, acknowledgements->deadline))
        return false;
    for (struct pr_relayed *relayed = acknowledgements->relayed; left > 0; relayed++) {
        left -= relayed->missing != 0;
        if (relayed->missing == 0)
            continue;
        if (pr_has_come(clock, relayed->deadline)) {
            give_up(acknowledgements, relayed, clock);
            any = true;
        } else if (!pr_has_come(relayed->deadline, earliest)) {
            earliest = relayed->deadline;
        }
    }
    acknowledgements->deadline = earliest;
    return any;
}

void pr_relay_forget(struct pr_relay_acknowledgements *acknowledgements)
{
    for (unsigned k = 0; k < PR_RELAYED_MAX; k++)
        acknowledgements->relayed[k].missing = 0;
    acknowledgements->awaited = acknowledgements->waiting = 0;
}

/* The first one that is due; if there is none, sets the clock of the next search. */
static unsigned find_due(struct pr_relay_acknowledgements *acknowledgements, uint32_t clock)
{
    for (unsigned k = 0; k < acknowledgements->waiting; k++) {
        uint32_t due = acknowledgements->queue[k].due;
        if (pr_has_come(clock, due))
            return k;
        if (k == 0 || !pr_has_come(due, acknowledgements->due))
            acknowledgements->due = due;
    }
    return acknowledgements->waiting;
}

void pr_relay_acknowledgements_send(struct pr_relay_acknowledgements *acknowledgements)
{
    struct pr_common *common = acknowledgements->common;
    uint32_t clock = pr_clock_of(&common->here), bits = common->here.header_kind_bit, *words;
    unsigned first, kept, count = 0;
    struct pr_relay_acknowledgement head;
    struct pr_packet *packet;
    if (acknowledgements->waiting == 0 || common->pool.small == 0 || !pr_has_come(clock, acknowledgements->due))
        return;
    first = kept = find_due(acknowledgements, clock);
    if (first == acknowledgements->waiting)
        return;
    head = acknowledgements->queue[first];
    packet = pr_pool_take_small(&common->pool);
    words = packet->words;
    *words++ = pr_site_identity_address(common->here.identity, head.to);
    *words++ = head.from | bits | pr_header_relay_kind_bit(bits);
    for (unsigned k = first; k < acknowledgements->waiting; k++) {
        const struct pr_relay_acknowledgement one = acknowledgements->queue[k];
        if (one.to != head.to || one.from != head.from || count == PR_RELAY_ACKNOWLEDGEMENT_MOST) {
            acknowledgements->queue[kept++] = one;
            continue;
        }
        *words++ = one.source;
        *words++ = one.sequence;
        count++;
    }
    acknowledgements->waiting = kept;
    packet->info[0] = 0;
    packet->kind = 0;
    pr_packet_set_counts(packet, 1, 1 + count * PR_RELAY_ACKNOWLEDGEMENT_WORDS);
    pr_pool_queue(&common->pool, packet);
    pr_count(&common->events, PR_COUNTER_ACKNOWLEDGEMENTS);
}

bool pr_relay_next(const struct pr_relay_acknowledgements *acknowledgements, uint32_t *clock)
{
    const struct pr_common *common = acknowledgements->common;
    bool leaves = acknowledgements->waiting > 0 && common->pool.small > 0 && pr_outgoing_has_room(&common->outgoing);
    *clock = acknowledgements->deadline;
    if (leaves && (acknowledgements->awaited == 0 || !pr_has_come(acknowledgements->due, *clock)))
        *clock = acknowledgements->due;
    return leaves || acknowledgements->awaited > 0;
}
