/* What happens to a packet that arrives: rules O1 to O6. */
#include "operator/operator.h"

#include <string.h>

#include "operator/packet_edit.h"
#include "operator/pool.h"

enum {
    TRIES_SHIFT = 8,
    TRIES_MAX = 0xff,
    HANDLER_MASK = 0xff,
    BUFFERS_MIN = OPERATOR_RECEIVE_RESERVE + 1
};

/* What a packet's targets are, seen from here. */
struct survey {
    unsigned own, others, outside;  /* entries: this site's, other sites', no site's */
    const uint32_t *info;           /* of the first own entry */
    unsigned info_words;
};

int operator_init(struct operator *operator, struct network_interface *interface,
                  const struct node_identity *identity, uint32_t *pool, unsigned buffers, unsigned packet_words)
{
    if (buffers < BUFFERS_MIN)
        return -OPERATOR_NO_BUFFER;
    if (identity->max_packet > packet_words)
        return -OPERATOR_TOO_LONG;
    memset(operator, 0, sizeof *operator);
    operator->interface = interface;
    operator->identity = identity;
    operator->pool = pool;
    operator->buffers = buffers;
    operator->packet_words = packet_words;
    operator->reserve = buffers * 3 / 4;    /* throttling its own evaluators makes storage last longest: README */
    if (operator->reserve < OPERATOR_RECEIVE_RESERVE)
        operator->reserve = OPERATOR_RECEIVE_RESERVE;
    operator->sites = node_identity_sites(identity);
    operator->strict_bit = node_identity_strict_bit(identity);
    operator->address_mask = node_identity_address_mask(identity);
    operator->wide_mask = identity->word_width == 32 ? 0 : 0xffff0000;
    pool_init(operator);
    pool_post(operator);
    return 0;
}

int operator_register(struct operator *operator, uint8_t handler, operator_handler *function, void *context)
{
    unsigned k = 0;

    while (k < operator->handler_count && operator->handlers[k].handler != handler)
        k++;
    if (k == OPERATOR_HANDLERS)
        return -OPERATOR_FULL;
    if (k == operator->handler_count)
        operator->handler_count++;
    operator->handlers[k].handler = handler;
    operator->handlers[k].function = function;
    operator->handlers[k].context = context;
    return 0;
}

void operator_observe(struct operator *operator, operator_observer *function, void *context)
{
    operator->observer = function;
    operator->observer_context = context;
}

uint32_t operator_counter(const struct operator *operator, unsigned index)
{
    if (index < COUNTER_DELIVERED || index - COUNTER_DELIVERED >= OPERATOR_COUNTERS)
        return 0;
    return operator->counters[index - COUNTER_DELIVERED];
}

static void count(struct operator *operator, unsigned index)
{
    operator->counters[index - COUNTER_DELIVERED]++;
}

static const uint32_t *header_of(const struct packet *packet)
{
    return packet->words + packet_target_words(packet);
}

/* False for what no operator sent: nothing in such a packet may be trusted, not even its counts. */
static bool is_well_formed(const struct operator *operator, const struct packet *packet)
{
    uint32_t terminator = packet->kind & KIND_TERMINATOR_MASK;
    unsigned target_words = packet_target_words(packet);
    unsigned data_words = packet_data_words(packet);
    const uint32_t *header = header_of(packet);

    if (terminator != TAG_END_OF_PACKET && terminator != TAG_LOCAL_END_OF_PACKET)
        return false;
    if (packet->kind & KIND_OVERSIZE)
        return false;
    if (target_words == 0 || target_words > PACKET_TARGET_WORDS_MAX || packet_is_info(packet, 0))
        return false;
    if (data_words < HEADER_WORDS || target_words + data_words > operator->packet_words)
        return false;
    return header[HEADER_SOURCE] < operator->sites && header[HEADER_SEQUENCE] <= 0xffff;
}

static bool is_own(const struct operator *operator, uint32_t site_word)
{
    return (site_word & operator->address_mask) == operator->identity->address;
}

static void survey_targets(const struct operator *operator, const struct packet *packet, struct survey *survey)
{
    unsigned target_words = packet_target_words(packet);
    unsigned words;

    *survey = (struct survey){ 0 };
    for (unsigned k = 0; k < target_words; k += words) {
        words = packet_entry_words(packet, k, target_words);
        if (is_own(operator, packet->words[k])) {
            if (survey->own++ == 0) {
                survey->info = packet->words + k + 1;
                survey->info_words = words - 1;
            }
        } else if (node_identity_has_address(operator->identity, packet->words[k])) {
            survey->others++;
        } else {
            survey->outside++;
        }
    }
}

/* Entries that are sent on: other sites of this mesh. A site outside would block a link for ever. */
static bool goes_on(const void *context, uint32_t site_word)
{
    const struct operator *operator = context;

    return !is_own(operator, site_word) && node_identity_has_address(operator->identity, site_word);
}

static void report(struct operator *operator, enum operator_event_kind kind, const struct packet *packet,
                   unsigned remaining, const struct delivery *delivery)
{
    const uint32_t *header = header_of(packet);
    struct operator_event event = {
        .kind = kind,
        .source = (uint16_t)header[HEADER_SOURCE],
        .sequence = (uint16_t)header[HEADER_SEQUENCE],
        .remaining = (uint16_t)remaining,
        .delivery = delivery,
    };

    if (operator->observer != NULL)
        operator->observer(operator->observer_context, &event);
}

static void deliver(struct operator *operator, const struct packet *packet, const struct survey *survey,
                    unsigned remaining)
{
    const uint32_t *header = header_of(packet);
    struct delivery delivery = {
        .source = (uint16_t)header[HEADER_SOURCE],
        .sequence = (uint16_t)header[HEADER_SEQUENCE],
        .handler = (uint8_t)(header[HEADER_HANDLER] & HANDLER_MASK),
        .data = header + HEADER_WORDS,
        .data_words = packet_data_words(packet) - HEADER_WORDS,
        .info = survey->info,
        .info_words = survey->info_words,
        .stamp_first = packet->stamp_first,
        .stamp_last = packet->stamp_last,
    };

    count(operator, COUNTER_DELIVERED);
    report(operator, OPERATOR_EVENT_DELIVERED, packet, remaining, &delivery);
    for (unsigned k = 0; k < operator->handler_count; k++) {
        if (operator->handlers[k].handler == delivery.handler)
            operator->handlers[k].function(operator->handlers[k].context, &delivery);
    }
}

/* Counts an aborted try in the packet; true if the rest is to go as unicasts (O6). */
static bool gives_up_multicast(const struct operator *operator, struct packet *packet)
{
    uint32_t *word = packet->words + packet_target_words(packet) + HEADER_HANDLER;
    uint32_t tries = *word >> TRIES_SHIFT & TRIES_MAX;

    if (tries < TRIES_MAX)
        tries++;
    *word = (*word & HANDLER_MASK) | tries << TRIES_SHIFT;
    return tries >= operator->identity->retry_limit;
}

/* O1: the rest of the targets, from the buffer the packet arrived in. A multicast that comes with
 * end_of_packet was aborted here; a unicast was diverted. */
static void send_on(struct operator *operator, struct packet *packet)
{
    bool aborted = packet->kind & KIND_MULTICAST;
    unsigned remaining = packet_keep_entries(packet, goes_on, operator);
    enum operator_event_kind kind = aborted ? OPERATOR_EVENT_RESENT : OPERATOR_EVENT_FORWARDED;
    bool peel = remaining > 1 && !operator->interface->multicast;

    packet->kind = remaining > 1 ? KIND_MULTICAST : 0;
    packet->stored = 0;
    if (aborted && remaining > 1 && gives_up_multicast(operator, packet)) {
        packet_mark_sites(packet, operator->strict_bit);
        count(operator, COUNTER_UNICAST_FALLBACKS);
        kind = OPERATOR_EVENT_FALLBACK;
        peel = true;
    }
    count(operator, aborted ? COUNTER_RESENT : COUNTER_FORWARDED);
    report(operator, kind, packet, remaining, NULL);
    if (peel)
        packet_peel_first(packet);
    pool_queue(operator, packet);
}

static void handle(struct operator *operator, struct packet *packet)
{
    struct survey survey;
    bool resend;

    if (!is_well_formed(operator, packet)) {
        count(operator, COUNTER_DISCARDED);
        pool_release(operator, packet);
        return;
    }
    survey_targets(operator, packet, &survey);
    resend = (packet->kind & KIND_TERMINATOR_MASK) == TAG_END_OF_PACKET && survey.others > 0;
    if (survey.own > 0)
        deliver(operator, packet, &survey, resend ? survey.others : 0);
    if (survey.outside > 0 || (survey.own == 0 && !resend))
        count(operator, COUNTER_DISCARDED);
    if (resend)
        send_on(operator, packet);
    else
        pool_release(operator, packet);
}

static bool receive(struct operator *operator)
{
    struct packet *packet = network_interface_received(operator->interface);

    if (packet == NULL)
        return false;
    pool_received(operator);
    handle(operator, packet);
    return true;
}

/* Packets that have left: the next unicast is peeled off, or the buffer is free. */
static bool take_back(struct operator *operator)
{
    struct packet *packet;
    bool any = false;

    while ((packet = network_interface_sent(operator->interface)) != NULL) {
        any = true;
        if (packet_peel_next(packet))
            pool_queue(operator, packet);
        else
            pool_release(operator, packet);
    }
    return any;
}

bool operator_poll(struct operator *operator)
{
    bool done = take_back(operator);

    pool_post(operator);    /* before the handlers run: the network may go on meanwhile (O4) */
    done |= receive(operator);
    pool_send(operator);
    pool_post(operator);
    return done;
}
