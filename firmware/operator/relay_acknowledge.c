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
    SITE_MASK = PR_RELAY_ACKNOWLEDGEMENT_SITES_MAX - 1,
    ANYBODY = UINT16_MAX + 1
};

static uint16_t source_and_epoch(unsigned source, unsigned epoch)
{
    return (uint16_t)(source | (epoch & PR_EPOCH_MASK) * PR_RELAY_ACKNOWLEDGEMENT_SITES_MAX);
}

/* The packet of acknowledgements that `from` sends to `to`, of which there is none yet. */
static struct pr_packet *begin(struct pr_common *common, unsigned to, unsigned from)
{
    struct pr_packet *packet = pr_pool_take_small(&common->pool);
    packet->words[0] = pr_site_identity_address(common->here.identity, to);
    packet->words[1] = from | pr_header_kind_bits(common->here.header_kind_bit);
    packet->info[0] = 0;
    packet->kind = 0;
    pr_packet_set_counts(packet, 1, 1);
    return packet;
}

static void append(struct pr_packet *packet, uint16_t source, uint16_t sequence)
{
    unsigned data_words = pr_packet_data_words(packet);
    uint32_t *words = packet->words + 1 + data_words;
    words[PR_RELAY_ACKNOWLEDGEMENT_SOURCE] = source;
    words[PR_RELAY_ACKNOWLEDGEMENT_SEQUENCE] = sequence;
    pr_packet_set_counts(packet, 1, data_words + PR_RELAY_ACKNOWLEDGEMENT_WORDS);
}

static void send(struct pr_common *common, struct pr_packet *packet)
{
    pr_pool_queue(&common->pool, packet);
    pr_count(&common->events, PR_COUNTER_ACKNOWLEDGEMENTS);
}

/* A place in the table for a packet, or NULL. */
static struct pr_relayed *take(struct pr_relay_acknowledgements *acknowledgements, uint16_t source, uint16_t sequence)
{
    struct pr_relayed *relayed = acknowledgements->relayed;
    if (!PR_RELAY_MERGES || acknowledgements->awaited + acknowledgements->waiting == PR_RELAYED_MAX)
        return NULL;
    while ((relayed->missing | relayed->pending) != 0)
        relayed++;
    relayed->source = source;
    relayed->sequence = sequence;
    return relayed;
}

/* Without a table it leaves now, if there is a small buffer. False: there is no room. */
static bool put(struct pr_relay_acknowledgements *acknowledgements, unsigned to, unsigned from, uint16_t source,
                uint16_t sequence)
{
    struct pr_common *common = acknowledgements->common;
    struct pr_relayed *relayed = take(acknowledgements, source, sequence);
    if (!PR_RELAY_MERGES && common->pool.small > 0) {
        struct pr_packet *packet = begin(common, to, from);
        append(packet, source, sequence);
        send(common, packet);
        return true;
    }
    if (!relayed)
        return false;
    relayed->to = (uint16_t)to;
    relayed->sites[0] = (uint16_t)from;
    relayed->pending = 1;
    acknowledgements->waiting++;
    return true;
}

/* ---- a packet that is sent on ---- */

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

/* The sites that this one sends the packet to are awaited. False: there is no room for it. */
static bool await(struct pr_relay_acknowledgements *acknowledgements, const struct pr_packet *packet, unsigned parent)
{
    const struct pr_here *here = &acknowledgements->common->here;
    const uint32_t *data = packet->words + pr_packet_target_words(packet);
    struct pr_relayed *relayed = take(
        acknowledgements, source_and_epoch(data[PR_HEADER_SOURCE], data[PR_HEADER_HANDLER] >> PR_HEADER_EPOCH_SHIFT),
        (uint16_t)data[PR_HEADER_SEQUENCE]);
    if (!relayed || here->sites > PR_RELAY_ACKNOWLEDGEMENT_SITES_MAX || parent >= here->sites ||
        !note_children(here, packet, relayed))
        return false;
    relayed->deadline = pr_clock_of(here) + AWAIT_CLOCKS;
    relayed->to = (uint16_t)parent;
    relayed->missing = (uint16_t)((1u << relayed->count) - 1);
    if (acknowledgements->awaited++ == 0 || !pr_has_come(relayed->deadline, acknowledgements->deadline))
        acknowledgements->deadline = relayed->deadline;
    return true;
}

void pr_relay_await(struct pr_relay_acknowledgements *acknowledgements, struct pr_packet *packet)
{
    uint32_t *data = packet->words + pr_packet_target_words(packet), source = data[PR_HEADER_SOURCE];
    bool has_parent = data[PR_HEADER_HANDLER] >> PR_HEADER_PARENT_BIT & 1;
    bool awaits = await(acknowledgements, packet, has_parent ? data[PR_HEADER_WORDS] : source);
    packet->first_target = 1;
    if (awaits && !has_parent)
        insert_parent(packet);
    if (awaits || has_parent)
        packet->words[pr_packet_target_words(packet) + PR_HEADER_WORDS] =
            awaits ? acknowledgements->common->here.identity->site : source;
}

/* ---- what has come ---- */

/* `site` is awaited no longer. False: it was not. */
static bool settle(struct pr_relay_acknowledgements *acknowledgements, unsigned site, uint16_t source,
                   uint16_t sequence)
{
    unsigned left = PR_RELAY_MERGES ? acknowledgements->awaited : 0;
    for (struct pr_relayed *relayed = acknowledgements->relayed; left > 0; relayed++) {
        left -= relayed->missing != 0;
        if (relayed->missing == 0 || relayed->source != source || relayed->sequence != sequence)
            continue;
        for (unsigned k = 0; k < relayed->count; k++) {
            if (relayed->sites[k] != site || !(relayed->missing >> k & 1))
                continue;
            relayed->missing &= (uint16_t) ~(1u << k);
            if (relayed->missing == 0) {
                relayed->pending = 1;
                acknowledgements->awaited--;
                acknowledgements->waiting++;
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

bool pr_relay_acknowledge(struct pr_relay_acknowledgements *acknowledgements, const struct pr_header *header)
{
    return put(acknowledgements, header->parent, acknowledgements->common->here.identity->site,
               source_and_epoch(header->source, header->epoch), header->sequence);
}

void pr_relay_acknowledged(struct pr_relay_acknowledgements *acknowledgements, unsigned from, const uint32_t *words)
{
    uint16_t packet_source = (uint16_t)words[PR_RELAY_ACKNOWLEDGEMENT_SOURCE];
    uint16_t sequence = (uint16_t)words[PR_RELAY_ACKNOWLEDGEMENT_SEQUENCE];
    unsigned source = packet_source & SITE_MASK;
    if (PR_RELAY_MERGES && !settle(acknowledgements, from, packet_source, sequence) &&
        source < acknowledgements->common->here.sites)
        put(acknowledgements, source, from, packet_source, sequence);
}

/* ---- time ---- */

/* The source learns what has come. The acknowledgement of this site itself covers others of its packets as well; the
 * source may have restarted meanwhile. */
static void give_up(struct pr_relay_acknowledgements *acknowledgements, struct pr_relayed *relayed, uint32_t clock)
{
    unsigned source = relayed->source & SITE_MASK, epoch = relayed->source / PR_RELAY_ACKNOWLEDGEMENT_SITES_MAX;
    const struct pr_peer *peer = &acknowledgements->common->peers[source];
    unsigned came = ((1u << relayed->count) - 1) & ~(unsigned)relayed->missing;
    if (came & 1 && epoch == (peer->epoch & PR_EPOCH_MASK) && !(peer->flags & PR_PEER_FRESH)) {
        pr_acknowledge_before(acknowledgements->alone, source, relayed->sequence);
        pr_acknowledge(acknowledgements->alone, source, relayed->sequence, clock, 0);
    }
    relayed->to = (uint16_t)source;
    relayed->missing = 0;
    relayed->pending = (uint16_t)(came & ~1u);
    acknowledgements->waiting += relayed->pending != 0;
    acknowledgements->awaited--;
}

bool pr_relay_time_outs(struct pr_relay_acknowledgements *acknowledgements, uint32_t clock)
{
    unsigned left = acknowledgements->awaited;
    uint32_t earliest = clock + AWAIT_CLOCKS;
    bool any = false;
    if (!PR_RELAY_MERGES || left == 0 || !pr_has_come(clock, acknowledgements->deadline))
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
    if (!PR_RELAY_MERGES)
        return;
    for (unsigned k = 0; k < PR_RELAYED_MAX; k++)
        acknowledgements->relayed[k].missing = acknowledgements->relayed[k].pending = 0;
    acknowledgements->awaited = acknowledgements->waiting = 0;
}

/* The next acknowledgement in turn that `from` sends to `to`, or anybody to anybody, is no longer pending; or NULL. */
static const struct pr_relayed *next(struct pr_relay_acknowledgements *acknowledgements, unsigned *to, unsigned *from)
{
    for (unsigned left = PR_RELAYED_MAX; left > 0 && acknowledgements->waiting > 0; left--) {
        struct pr_relayed *relayed = &acknowledgements->relayed[acknowledgements->turn];
        unsigned k = 0;
        while (relayed->pending >> k > 1 && !(relayed->pending >> k & 1))
            k++;
        if (relayed->pending != 0 && (*to == ANYBODY || (relayed->to == *to && relayed->sites[k] == *from))) {
            *to = relayed->to;
            *from = relayed->sites[k];
            relayed->pending &= (uint16_t)(relayed->pending - 1);
            acknowledgements->waiting -= relayed->pending == 0;
            return relayed;
        }
        acknowledgements->turn = (acknowledgements->turn + 1) % PR_RELAYED_MAX;
    }
    return NULL;
}

void pr_relay_acknowledgements_send(struct pr_relay_acknowledgements *acknowledgements)
{
    struct pr_common *common = acknowledgements->common;
    unsigned to = ANYBODY, from = ANYBODY;
    const struct pr_relayed *relayed;
    struct pr_packet *packet;
    if (!PR_RELAY_MERGES || acknowledgements->waiting == 0 || common->pool.small == 0)
        return;
    relayed = next(acknowledgements, &to, &from);
    packet = begin(common, to, from);
    for (unsigned k = 0; relayed && k < PR_RELAY_ACKNOWLEDGEMENT_MOST; k++) {
        append(packet, relayed->source, relayed->sequence);
        relayed = k + 1 < PR_RELAY_ACKNOWLEDGEMENT_MOST ? next(acknowledgements, &to, &from) : NULL;
    }
    send(common, packet);
}

bool pr_relay_next(const struct pr_relay_acknowledgements *acknowledgements, uint32_t *clock)
{
    *clock = acknowledgements->deadline;
    return PR_RELAY_MERGES && acknowledgements->awaited > 0;
}
