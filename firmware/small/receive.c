/* What happens to a packet that arrives: rules O1 to O3, O6, and what the reliable service adds. The ways are those of
 * operator/receive.c, with two differences: what comes back for several targets goes on as unicasts at once, as if the
 * retry_limit were 1 (O6); and an acknowledgement leaves at once, or not at all.
 *
 * SPDX-License-Identifier: ISC
 */
#include "small/small.h"

/* False for a packet that no operator sent. */
static bool is_sound(const struct pr_packet *packet)
{
    unsigned end = packet->kind_bits & (PR_KIND_TERMINATOR_MASK | PR_KIND_OVERSIZE);
    unsigned targets = packet->target_words, words = packet->data_words;
    const uint32_t *data = packet->words + targets;
    uint32_t source;
    if ((end != PR_TAG_END_OF_PACKET && end != PR_TAG_LOCAL_END_OF_PACKET) || packet->info[0] & 1 ||
        words < PR_HEADER_WORDS || targets + words > PACKET_WORDS)
        return false;
    source = data[PR_HEADER_SOURCE];
    if (!RELIABLE)
        return source < here.sites;
    if (source & KIND) {
        if (words != 1 + PR_ACKNOWLEDGEMENT_WORDS && words != 1 + PR_CONTROL_WORDS)
            return false;
    } else if (data[PR_HEADER_HANDLER] & 1 << PR_HEADER_RELAY_BIT) { /* this operator is no relay (O10) */
        return false;
    } else if (data[PR_HEADER_HANDLER] & 1 << PR_HEADER_CARRIES_BIT &&
               words < PR_HEADER_WORDS + PR_ACKNOWLEDGEMENT_WORDS) {
        return false;
    }
    return (source & ~(uint32_t)KIND) < here.sites;
}

static void deliver(const struct pr_small_delivery *delivery)
{
    count(PR_COUNTER_DELIVERED);
    if (delivery->handler == PR_HANDLER_SERVICE) {
        if (SENDS)
            service(delivery);
        return;
    }
    if (CONSOLE)
        console_delivered(delivery);
    pr_small_delivered(delivery);
}

/* False: this site and the source do not agree on an epoch. Data never changes a known one (control.c). */
static bool admits(unsigned source, uint32_t flags)
{
    const struct peer *peer = &peers[source];
    if (!(peer->flags & PEER_KNOWN)) {
        control_send(source, PR_CONTROL_TYPE_RESTARTED, 0);
        return false;
    }
    return ((flags >> PR_HEADER_EPOCH_SHIFT ^ peer->epoch) & EPOCH_MASK) == 0;
}

/* Data of the reliable service: delivered at its first arrival, and acknowledged at every arrival. */
static void take_data(struct pr_small_delivery *delivery, uint32_t flags)
{
    unsigned source = delivery->source;
    uint16_t sequence = (uint16_t)delivery->sequence;
    struct peer *peer = &peers[source];
    enum peer_arrival arrival;
    if (!admits(source, flags)) {
        count(PR_COUNTER_DUPLICATES);
        return;
    }
    if (flags & 1 << PR_HEADER_CARRIES_BIT) {
        if (SENDS)
            sender_acknowledged(source, delivery->data);
        delivery->data += PR_ACKNOWLEDGEMENT_WORDS;
        delivery->data_words -= PR_ACKNOWLEDGEMENT_WORDS;
    }
    arrival = peer_classify(peer, sequence);
    if (arrival != PEER_NEW) {
        count(PR_COUNTER_DUPLICATES);
        if (arrival == PEER_DUPLICATE)
            acknowledge(source, sequence, delivery->stamp_last);
        return;
    }
    if (CONSOLE && delivery->handler != PR_HANDLER_SERVICE && !console_is_ready()) {
        count(PR_COUNTER_REFUSED); /* the source sends again, and learns that this site is alive */
        if (!(peer->flags & PEER_FRESH))
            acknowledge(source, (uint16_t)peer->highest, port_clock());
        return;
    }
    peer_receive(peer, sequence);
    acknowledge(source, sequence, delivery->stamp_last);
    deliver(delivery);
}

/* A packet with a target here. own: the target word behind this site's. */
static void take(const struct pr_packet *packet, unsigned own, uint32_t stamp_first, uint32_t stamp_last)
{
    const uint32_t *data = packet->words + packet->target_words;
    uint32_t source = data[PR_HEADER_SOURCE] & ~(uint32_t)KIND, flags = data[PR_HEADER_HANDLER];
    struct pr_small_delivery delivery = {
        .source = source,
        .sequence = data[PR_HEADER_SEQUENCE],
        .handler = flags & BYTE_MASK,
        .data = data + PR_HEADER_WORDS,
        .data_words = packet->data_words - (uint32_t)PR_HEADER_WORDS,
        .info = packet->words + own,
        .info_words = end_of_entry(packet, own - 1) - own,
        .stamp_first = stamp_first,
        .stamp_last = stamp_last,
    };
    if (!RELIABLE)
        deliver(&delivery);
    else if (source == here.site) /* this site sends itself nothing: a late copy or a forgery */
        count(PR_COUNTER_DUPLICATES);
    else if (!(data[PR_HEADER_SOURCE] & KIND))
        take_data(&delivery, flags);
    else if (packet->data_words == 1 + PR_CONTROL_WORDS)
        control_received(source, data + 1);
    else if (SENDS)
        sender_acknowledged(source, data + 1);
}

/* What the entries of a packet are. */
struct survey {
    unsigned own;                    /* the target word behind the first one of this site; 0: none */
    unsigned others, outside, first; /* first: of the others */
};

static struct survey survey_targets(const struct pr_packet *packet, uint32_t required)
{
    struct survey survey = {0};
    for (unsigned k = packet->target_words; k-- > 0;) {
        uint32_t word = packet->words[k];
        if (pr_packet_is_info(packet, k))
            continue;
        if (is_here(word)) {
            survey.own = k + 1;
        } else if ((word & required) != required) {
            continue;
        } else if (is_site(word)) {
            survey.others++;
            survey.first = k;
        } else {
            survey.outside++;
        }
    }
    return survey;
}

/* Reliable service: only the source owes a packet. Another site holds it while a buffer is left for receiving. */
static bool can_hold(void)
{
    return !RELIABLE || buffers_posted > 0;
}

/* Sends the packet on to the first of the targets that this site has to serve. `sent` sees to the others. */
static void send_on(struct pr_packet *packet, const struct survey *targets, uint32_t required)
{
    bool is_multicast = packet->kind_bits & PR_KIND_MULTICAST;
    packet->next = packet->stamp_last;
    packet->grouping = required;
    choose(packet, targets->first);
    port_send(packet);
    count(is_multicast ? PR_COUNTER_RESENT_AFTER_ABORT : PR_COUNTER_FORWARDED);
    if (targets->others > 1)
        count(PR_COUNTER_UNICAST_FALLBACKS);
}

void receive(struct pr_packet *packet)
{
    uint32_t required = (packet->kind_bits & PR_KIND_TERMINATOR_MASK) == PR_TAG_LOCAL_END_OF_PACKET ? MARK : 0;
    uint32_t stamp_first = packet->stamp_first, stamp_last = packet->stamp_last;
    bool holds = false;
    buffers_posted--;
    if (!is_sound(packet)) {
        count(PR_COUNTER_DISCARDED);
        post(packet);
        return;
    }
    struct survey targets = survey_targets(packet, required);
    if (targets.others > 0) {
        holds = can_hold();
        if (holds)
            send_on(packet, &targets, required);
        else
            count(PR_COUNTER_FOREIGN_DISCARDED);
    }
    if (targets.outside > 0 || (targets.own | targets.others) == 0)
        count(PR_COUNTER_DISCARDED);
    if (targets.own > 0)
        take(packet, targets.own, stamp_first, stamp_last);
    if (!holds)
        post(packet);
}
