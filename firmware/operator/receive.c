/* What happens to a packet that arrives: rules O1 to O6, and what the reliable service adds to them. */
#include "operator/operator_private.h"
#include "operator/target_list.h"
#include "operator/pool.h"

enum {
    RAW_TRIES_SHIFT = 8,            /* raw service: place of the tries in the header's third word */
    RAW_TRIES_MAX = 0xff,
    HANDLER_MASK = 0xff,
    ACKNOWLEDGE_PACE = 4            /* clocks that a multicast's acknowledgement waits longer for each number of a site */
};

/* A packet as it arrived: when it is delivered it may be on its way again, with other stamps, and its targets in another
 * order. */
struct arrival {
    struct packet *packet;
    struct header header;
    uint32_t stamp_first, stamp_last;
    bool multicast;
    unsigned own, others, outside;  /* target entries: this site's, other sites', no site's */
    unsigned info_words;            /* of the first own entry */
};

static uint32_t *data_of(struct packet *packet)
{
    return packet->words + packet_target_words(packet);
}

/* The header as the mesh's service writes it. */
static bool read_header(const struct operator *operator, struct packet *packet, struct header *header)
{
    const uint32_t *data = data_of(packet);
    unsigned words = packet_data_words(packet);

    if (is_reliable(operator))
        return header_decode(header, data, words, operator->strict_bit) != HEADER_KIND_BAD &&
               header->source < operator->sites;
    if (words < HEADER_WORDS || data[HEADER_SOURCE] >= operator->sites || data[HEADER_SEQUENCE] > UINT16_MAX)
        return false;
    header->kind = HEADER_KIND_DATA;    /* the rest of it is the reliable service's */
    header->source = (uint16_t)data[HEADER_SOURCE];
    header->sequence = (uint16_t)data[HEADER_SEQUENCE];
    header->handler = data[HEADER_HANDLER] & HANDLER_MASK;
    header->words = HEADER_WORDS;
    header->epoch = 0;
    return true;
}

/* False for what no operator sent: nothing in such a packet may be trusted, not even its counts. */
static bool is_well_formed(const struct operator *operator, struct packet *packet, struct header *header)
{
    uint32_t terminator = packet->kind & KIND_TERMINATOR_MASK;
    unsigned target_words = packet_target_words(packet);

    if (terminator != TAG_END_OF_PACKET && terminator != TAG_LOCAL_END_OF_PACKET)
        return false;
    if (packet->kind & KIND_OVERSIZE)
        return false;
    if (target_words == 0 || target_words > PACKET_TARGET_WORDS_MAX || packet_is_info(packet, 0))
        return false;
    if (target_words + packet_data_words(packet) > operator->packet_words)
        return false;
    return read_header(operator, packet, header);
}

static bool is_own(const struct operator *operator, uint32_t site_word)
{
    return (site_word & operator->addresses.mask) == operator->identity->address;
}

static void survey_targets(const struct operator *operator, struct arrival *arrival)
{
    const struct packet *packet = arrival->packet;
    unsigned target_words = packet_target_words(packet), own = 0, others = 0, outside = 0, info_words = 0;
    uint32_t info = 0;
    bool first_own = false;

    for (unsigned k = 0; k < target_words; k++) {
        info = k % 32 == 0 ? packet->info[k / 32] : info >> 1;    /* many shifts are slow on small cores, one is not */
        if (info & 1) {
            info_words += first_own;
            continue;
        }
        first_own = false;
        if (is_own(operator, packet->words[k]))
            first_own = own++ == 0;
        else if (node_addresses_have(&operator->addresses, packet->words[k]))
            others++;
        else
            outside++;
    }
    arrival->own = own;
    arrival->others = others;
    arrival->outside = outside;
    arrival->info_words = info_words;
}

/* The target_info words of the first own entry. */
static const uint32_t *own_info(const struct operator *operator, const struct packet *packet)
{
    unsigned k = 0;

    while (packet_is_info(packet, k) || !is_own(operator, packet->words[k]))
        k++;
    return packet->words + k + 1;
}

static void report(struct operator *operator, enum operator_event_kind kind, const struct header *header,
                   unsigned remaining, const struct delivery *delivery)
{
    struct operator_event event = {
        .kind = kind,
        .source = header->source,
        .sequence = header->sequence,
        .remaining = (uint16_t)remaining,
        .delivery = delivery,
    };

    operator_report(operator, &event);
}

static void deliver(struct operator *operator, const struct arrival *arrival, unsigned remaining)
{
    const struct header *header = &arrival->header;
    struct packet *packet = arrival->packet;
    struct delivery delivery = {
        .source = header->source,
        .sequence = header->sequence,
        .epoch = header->epoch,
        .handler = header->handler,
        .data = data_of(packet) + header->words,
        .data_words = packet_data_words(packet) - header->words,
        .info = arrival->info_words > 0 ? own_info(operator, packet) : packet->words,
        .info_words = arrival->info_words,
        .stamp_first = arrival->stamp_first,
        .stamp_last = arrival->stamp_last,
    };

    count(operator, COUNTER_DELIVERED);
    report(operator, OPERATOR_EVENT_DELIVERED, header, remaining, &delivery);
    for (unsigned k = 0; k < operator->handler_count; k++) {
        if (operator->handlers[k].handler == delivery.handler)
            operator->handlers[k].function(operator->handlers[k].context, &delivery);
    }
}

/* Not delivered, and not acknowledged: the source hears what was received before, and that this site is alive. */
static void refuse(struct operator *operator, unsigned source)
{
    const struct peer *peer = &operator->peers[source];

    count(operator, COUNTER_REFUSED);
    if (!(peer->flags & PEER_FRESH))
        acknowledge(operator, source, (uint16_t)peer->highest, clock_of(operator), operator->acknowledge_clocks);
}

/* A data packet of the reliable service: delivered the first time it comes, acknowledged every time. */
static void take_data(struct operator *operator, const struct arrival *arrival, unsigned remaining)
{
    const struct header *header = &arrival->header;
    uint32_t pace = arrival->multicast ? operator->identity->site * ACKNOWLEDGE_PACE : 0;
    enum peer_arrival news;

    if (!control_admits(operator, header)) {
        count(operator, COUNTER_DUPLICATES);
        return;
    }
    if (header->carries)
        window_acknowledged(operator, header->source, &header->acknowledgement);
    if (operator->refusing && header->handler != HANDLER_SERVICE &&
        peer_classify(&operator->peers[header->source], header->sequence) == PEER_NEW) {
        refuse(operator, header->source);
        return;
    }
    acknowledge_before(operator, header->source, header->sequence);
    news = peer_receive(&operator->peers[header->source], header->sequence);
    if (news == PEER_NEW)
        deliver(operator, arrival, remaining);
    else
        count(operator, COUNTER_DUPLICATES);
    if (news != PEER_STALE)
        acknowledge(operator, header->source, header->sequence, arrival->stamp_last, operator->acknowledge_clocks + pace);
    if (news == PEER_DUPLICATE)
        acknowledge_otherwise(operator, header->source);
}

/* A packet that names this site as its source is one of its window, on its way to this site too, or a forgery. */
static bool is_forged(struct operator *operator, const struct header *header)
{
    return header->source == operator->identity->site &&
           !(header->kind == HEADER_KIND_DATA && window_waits_for_itself(operator, header->sequence));
}

static void take(struct operator *operator, const struct arrival *arrival, unsigned remaining)
{
    const struct header *header = &arrival->header;

    if (!is_reliable(operator))
        deliver(operator, arrival, remaining);
    else if (is_forged(operator, header))
        count(operator, COUNTER_DUPLICATES);    /* a late copy, most likely */
    else if (header->kind == HEADER_KIND_DATA)
        take_data(operator, arrival, remaining);
    else if (header->kind == HEADER_KIND_ACKNOWLEDGEMENT)
        window_acknowledged(operator, header->source, &header->acknowledgement);
    else
        control_received(operator, header);
}

/* Entries that are sent on: other sites of this mesh. A site outside would block a link for ever. */
static bool goes_on(const void *context, uint32_t site_word)
{
    const struct operator *operator = context;

    return !is_own(operator, site_word) && node_addresses_have(&operator->addresses, site_word);
}

/* Counts an aborted try in the packet; true if the rest is to go as unicasts (O6). The reliable header has one bit for
 * the tries. */
static bool gives_up_multicast(const struct operator *operator, struct packet *packet)
{
    uint32_t *word = data_of(packet) + HEADER_HANDLER, aborted = 1u << HEADER_ABORTED_BIT;
    uint32_t tries = *word >> RAW_TRIES_SHIFT & RAW_TRIES_MAX;

    if (is_reliable(operator)) {
        tries = *word & aborted ? operator->identity->retry_limit : 1;
        *word |= aborted;
        return tries >= operator->identity->retry_limit;
    }
    if (tries < RAW_TRIES_MAX)
        tries++;
    *word = (*word & HANDLER_MASK) | tries << RAW_TRIES_SHIFT;
    return tries >= operator->identity->retry_limit;
}

/* O1: the rest of the targets, from the buffer the packet arrived in. A multicast that comes with
 * end_of_packet was aborted here; a unicast was diverted. */
static void send_on(struct operator *operator, const struct arrival *arrival)
{
    struct packet *packet = arrival->packet;
    bool several = arrival->others > 1, peel = several && !may_multicast(operator);
    enum operator_event_kind kind = arrival->multicast ? OPERATOR_EVENT_RESENT : OPERATOR_EVENT_FORWARDED;

    packet->kind = several ? KIND_MULTICAST : 0;
    if (arrival->own + arrival->outside > 0)
        packet_leave_out(packet, goes_on, operator);
    if (arrival->multicast && several && gives_up_multicast(operator, packet)) {
        packet->words[packet->first_target] |= operator->strict_bit;
        kind = OPERATOR_EVENT_FALLBACK;
        peel = true;
    }
    if (peel)
        packet_peel_first(packet);
    if (!pool_send_at_once(operator, packet)) {
        pool_queue(operator, packet);
        operator_transmit(operator);
    }
    if (kind == OPERATOR_EVENT_FALLBACK)
        count(operator, COUNTER_UNICAST_FALLBACKS);
    count(operator, arrival->multicast ? COUNTER_RESENT : COUNTER_FORWARDED);
    report(operator, kind, &arrival->header, arrival->others, NULL);
}

/* Only its source owes a packet of the reliable service: it is held for others if a buffer is left for receiving. */
static bool can_hold(const struct operator *operator, const struct packet *packet)
{
    return !is_reliable(operator) || (pool_unused(operator) > 0 && pool_is_fresh(packet, operator->polled));
}

/* First of all it is sent on: others wait for it. */
void receive_packet(struct operator *operator, struct packet *packet)
{
    struct arrival arrival;
    bool resend, holds;

    pool_received(operator);
    arrival.packet = packet;
    arrival.stamp_first = packet->stamp_first;
    arrival.stamp_last = packet->stamp_last;
    arrival.multicast = packet->kind & KIND_MULTICAST;
    if (!is_well_formed(operator, packet, &arrival.header)) {
        count(operator, COUNTER_DISCARDED);
        pool_release(operator, packet);
        return;
    }
    survey_targets(operator, &arrival);
    resend = (packet->kind & KIND_TERMINATOR_MASK) == TAG_END_OF_PACKET && arrival.others > 0;
    holds = resend && can_hold(operator, packet);
    if (holds) {
        packet->role = ROLE_IN_HAND;
        send_on(operator, &arrival);
    }
    if (arrival.own > 0)
        take(operator, &arrival, resend ? arrival.others : 0);
    if (arrival.outside > 0 || (arrival.own == 0 && !resend))
        count(operator, COUNTER_DISCARDED);
    if (holds) {
        packet->role = ROLE_POOL;
        return;
    }
    if (resend)
        count(operator, COUNTER_FOREIGN_DISCARDED);
    pool_release(operator, packet);
}
