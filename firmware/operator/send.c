/* Building a packet in a pool buffer, with every refusal of O7, and operator_send on top of it. */
#include "operator/operator_private.h"
#include "operator/target_list.h"
#include "operator/pool.h"

/* Slots of a window of this size or more that evaluators leave to the services: one. */
enum { WINDOW_SHARED = 4 };

static unsigned room_in_window(const struct operator *operator, bool is_service)
{
    unsigned kept = !is_service && operator->window.size >= WINDOW_SHARED, room;

    if (!is_reliable(operator))
        return operator->buffers;
    room = window_room(operator);
    return room > kept ? room - kept : 0;
}

unsigned operator_send_room(const struct operator *operator)
{
    unsigned buffers = pool_room(operator, operator->reserve), slots = room_in_window(operator, false);

    return buffers < slots ? buffers : slots;
}

/* Services answer even when a site's evaluators are throttled: that is when somebody asks. */
void operator_begin(struct operator *operator, struct composition *composition, uint8_t handler)
{
    bool is_service = handler == HANDLER_SERVICE;

    *composition = (struct composition){ .operator = operator, .handler = handler };
    if (room_in_window(operator, is_service) == 0) {
        composition->error = -OPERATOR_WINDOW_FULL;
        count(operator, COUNTER_WINDOW_FULL);
        return;
    }
    composition->packet = pool_take(operator, is_service ? OPERATOR_RECEIVE_RESERVE : operator->reserve);
    if (composition->packet == NULL)
        composition->error = -OPERATOR_NO_BUFFER;
}

/* Room for `more` words behind what is there, of a packet that ends with its header at least. */
static bool has_room(struct composition *composition, unsigned more)
{
    const struct operator *operator = composition->operator;
    unsigned words = composition->target_words + composition->data_words + more;

    if (composition->data_words == 0)
        words += HEADER_WORDS;
    if (words <= operator->identity->max_packet && words <= operator->packet_words)
        return true;
    composition->error = -OPERATOR_TOO_LONG;
    return false;
}

/* True if the site was named before: the filter rules out most, the packet itself has the truth. */
static bool seen_before(struct composition *composition, unsigned site, uint32_t address)
{
    uint32_t *filter = &composition->seen[site / 32 % 8];
    uint32_t bit = 1u << site % 32;
    const struct packet *packet = composition->packet;

    if (!(*filter & bit)) {
        *filter |= bit;
        return false;
    }
    for (unsigned k = 0; k < composition->target_words; k++) {
        if (!packet_is_info(packet, k) && packet->words[k] == address)
            return true;
    }
    return false;
}

static void add_target_word(struct composition *composition, uint32_t word, bool is_info)
{
    if (composition->target_words == PACKET_TARGET_WORDS_MAX)
        composition->error = -OPERATOR_TOO_LONG;
    else if (has_room(composition, 1)) {
        composition->packet->words[composition->target_words] = word;
        packet_set_info(composition->packet, composition->target_words++, is_info);
    }
}

void operator_add_target(struct composition *composition, unsigned site)
{
    uint32_t address;

    if (composition->error != 0)
        return;
    if (site >= composition->operator->sites) {
        composition->error = -OPERATOR_UNKNOWN_SITE;
        return;
    }
    address = node_identity_address(composition->operator->identity, site);
    composition->duplicate = seen_before(composition, site, address);
    if (composition->duplicate)
        return;
    composition->entries++;
    add_target_word(composition, address, false);
}

void operator_add_info(struct composition *composition, uint32_t word)
{
    if (composition->error != 0 || composition->duplicate)
        return;
    if (word & composition->operator->wide_mask)
        composition->error = -OPERATOR_BAD_DATA;
    else
        add_target_word(composition, word, true);
}

static void add_header(struct composition *composition)
{
    uint32_t *data = composition->packet->words + composition->target_words;

    data[HEADER_SOURCE] = composition->operator->identity->site;
    data[HEADER_SEQUENCE] = (uint16_t)composition->operator->window.next;
    data[HEADER_HANDLER] = composition->handler;
    composition->data_words = HEADER_WORDS;
}

void operator_add_data(struct composition *composition, uint32_t word)
{
    if (composition->error != 0)
        return;
    if (word & composition->operator->wide_mask) {
        composition->error = -OPERATOR_BAD_DATA;
        return;
    }
    if (!has_room(composition, 1))
        return;
    if (composition->data_words == 0)
        add_header(composition);
    composition->packet->words[composition->target_words + composition->data_words++] = word;
}

static void finish(struct composition *composition)
{
    if (composition->error != 0)
        return;
    if (composition->entries == 0)
        composition->error = -OPERATOR_NO_TARGETS;
    else if (composition->data_words == 0 && has_room(composition, 0))
        add_header(composition);
}

void operator_cancel(struct composition *composition)
{
    if (composition->packet != NULL)
        pool_release(composition->operator, composition->packet);
    composition->packet = NULL;
}

/* The papers' service: the packet leaves, and is nobody's any more. */
static uint16_t send_raw(struct operator *operator, struct packet *packet)
{
    if (packet->kind & KIND_MULTICAST && !may_multicast(operator))
        packet_peel_first(packet);
    pool_queue(operator, packet);
    operator->window.edge++;
    return (uint16_t)operator->window.next++;
}

int operator_commit(struct composition *composition, uint16_t *sequence)
{
    struct operator *operator = composition->operator;
    struct packet *packet = composition->packet;
    uint16_t given;

    finish(composition);
    if (composition->error != 0) {
        operator_cancel(composition);
        return composition->error;
    }
    packet_set_counts(packet, composition->target_words, composition->data_words);
    packet->kind = composition->entries > 1 ? KIND_MULTICAST : 0;
    given = is_reliable(operator) ? window_add(operator, packet) : send_raw(operator, packet);
    if (sequence != NULL)
        *sequence = given;
    operator_transmit(operator);
    return 0;
}

int operator_send(struct operator *operator, const struct target *targets, unsigned count, uint8_t handler,
                  const uint32_t *data, unsigned words, uint16_t *sequence)
{
    struct composition composition;

    operator_begin(operator, &composition, handler);
    for (unsigned k = 0; k < count; k++) {
        operator_add_target(&composition, targets[k].site);
        for (unsigned i = 0; i < targets[k].info_words; i++)
            operator_add_info(&composition, targets[k].info[i]);
    }
    for (unsigned k = 0; k < words; k++)
        operator_add_data(&composition, data[k]);
    return operator_commit(&composition, sequence);
}

int operator_send_blocking(struct operator *operator, const struct target *targets, unsigned count, uint8_t handler,
                           const uint32_t *data, unsigned words, uint16_t *sequence, void (*idle)(void *context),
                           void *context)
{
    int error;

    for (;;) {
        error = operator_send(operator, targets, count, handler, data, words, sequence);
        if (error != -OPERATOR_WINDOW_FULL && error != -OPERATOR_NO_BUFFER)
            return error;
        if (!operator_poll(operator) && idle != NULL)
            idle(context);
    }
}
