/* Building a packet in a pool buffer, with every refusal of rule O7, and the calls that send.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/operator_private.h"
#include "operator/target_list.h"

/* In a window of at least this size, evaluators leave one slot to the services. */
enum { WINDOW_SHARED = 4 };

static unsigned room_in_window(const struct pr_operator *op, bool is_service)
{
    unsigned kept = !is_service && op->window.size >= WINDOW_SHARED, room;
    if (!op->common.here.reliable)
        return op->common.pool.buffers;
    room = pr_window_room(&op->window);
    return room > kept ? room - kept : 0;
}

unsigned pr_operator_send_room(const struct pr_operator *op)
{
    unsigned buffers = pr_pool_room(&op->common.pool, op->reserve), slots = room_in_window(op, false);
    return buffers < slots ? buffers : slots;
}

/* The services answer even while a site's evaluators are throttled: that is when they are needed for diagnosis. */
void pr_operator_begin(struct pr_operator *op, struct pr_composition *composition, uint8_t handler)
{
    bool is_service = handler == PR_HANDLER_SERVICE;
    composition->op = op;
    composition->packet = NULL;
    composition->handler = handler;
    composition->entries = composition->target_words = composition->data_words = 0;
    composition->duplicate = false;
    composition->error = 0;
    for (unsigned k = 0; k < sizeof composition->seen / sizeof *composition->seen; k++)
        composition->seen[k] = 0;
    if (!pr_handler_is_raw(handler) && room_in_window(op, is_service) == 0) {
        composition->error = -PR_OPERATOR_WINDOW_FULL;
        pr_count(&op->common.events, PR_COUNTER_WINDOW_FULL);
        return;
    }
    composition->packet = pr_pool_take(&op->common.pool, is_service ? PR_OPERATOR_RECEIVE_RESERVE : op->reserve);
    if (!composition->packet)
        composition->error = -PR_OPERATOR_NO_BUFFER;
}

/* True if `more` words fit, beside those of a header if none was added yet. Otherwise notes the error. */
static bool has_room(struct pr_composition *composition, unsigned more)
{
    const struct pr_operator *op = composition->op;
    unsigned words = composition->target_words + composition->data_words + more;
    if (composition->data_words == 0)
        words += PR_HEADER_WORDS;
    if (words <= op->common.here.identity->max_packet) /* a buffer has room for it: pr_operator_init */
        return true;
    composition->error = -PR_OPERATOR_TOO_LONG;
    return false;
}

/* True if the site is a target already. The filter rules out most sites; the packet's entries decide. */
static bool seen_before(struct pr_composition *composition, unsigned site, uint32_t address)
{
    uint32_t *filter = &composition->seen[site / 32 % 8];
    uint32_t bit = 1u << site % 32;
    const struct pr_packet *packet = composition->packet;
    if (!(*filter & bit)) {
        *filter |= bit;
        return false;
    }
    for (unsigned k = 0; k < composition->target_words; k++) {
        if (!pr_packet_is_info(packet, k) && packet->words[k] == address)
            return true;
    }
    return false;
}

static void add_target_word(struct pr_composition *composition, uint32_t word, bool is_info)
{
    if (composition->target_words + pr_ways_room(&composition->op->common.here.ways) == PR_PACKET_TARGET_WORDS_MAX)
        composition->error = -PR_OPERATOR_TOO_LONG;
    else if (has_room(composition, 1)) {
        composition->packet->words[composition->target_words] = word;
        pr_packet_set_info(composition->packet, composition->target_words++, is_info);
    }
}

/* The target of a scout has the first number that is no site's: whoever gets it is meant (scout.h). */
static bool is_target(const struct pr_composition *composition, unsigned site)
{
    const struct pr_here *here = &composition->op->common.here;
    return site < here->sites ||
           (site == here->sites && composition->handler == PR_HANDLER_SCOUT && pr_ways_have_routes(&here->ways));
}

void pr_operator_add_target(struct pr_composition *composition, unsigned site)
{
    uint32_t address;
    if (composition->error != 0)
        return;
    if (!is_target(composition, site)) {
        composition->error = -PR_OPERATOR_UNKNOWN_SITE;
        return;
    }
    address = pr_site_identity_address(composition->op->common.here.identity, site);
    composition->duplicate = seen_before(composition, site, address);
    if (composition->duplicate)
        return;
    composition->entries++;
    add_target_word(composition, address, false);
}

void pr_operator_add_info(struct pr_composition *composition, uint32_t word)
{
    if (composition->error != 0 || composition->duplicate)
        return;
    if (word & composition->op->common.here.wide_mask)
        composition->error = -PR_OPERATOR_BAD_DATA;
    else
        add_target_word(composition, word, true);
}

static void add_header(struct pr_composition *composition)
{
    uint32_t *data = composition->packet->words + composition->target_words;
    data[PR_HEADER_SOURCE] = composition->op->common.here.identity->site;
    data[PR_HEADER_SEQUENCE] = (uint16_t)composition->op->window.next;
    data[PR_HEADER_HANDLER] = composition->handler;
    composition->data_words = PR_HEADER_WORDS;
}

void pr_operator_add_data(struct pr_composition *composition, uint32_t word)
{
    if (composition->error != 0)
        return;
    if (word & composition->op->common.here.wide_mask) {
        composition->error = -PR_OPERATOR_BAD_DATA;
        return;
    }
    if (!has_room(composition, 1))
        return;
    if (composition->data_words == 0)
        add_header(composition);
    composition->packet->words[composition->target_words + composition->data_words++] = word;
}

uint32_t *pr_operator_add_room(struct pr_composition *composition, unsigned words)
{
    uint32_t *data;
    if (words > composition->op->common.here.identity->max_packet)
        composition->error = -PR_OPERATOR_TOO_LONG;
    if (composition->error != 0 || !has_room(composition, words))
        return NULL;
    if (composition->data_words == 0)
        add_header(composition);
    data = composition->packet->words + composition->target_words + composition->data_words;
    composition->data_words += words;
    return data;
}

static void finish(struct pr_composition *composition)
{
    if (composition->error != 0)
        return;
    if (composition->entries == 0)
        composition->error = -PR_OPERATOR_NO_TARGETS;
    else if (composition->data_words == 0 && has_room(composition, 0))
        add_header(composition);
}

void pr_operator_cancel(struct pr_composition *composition)
{
    if (composition->packet)
        pr_pool_release(&composition->op->common.pool, composition->packet);
    composition->packet = NULL;
}

/* Raw service: the site keeps nothing of a packet that leaves. So go load packets in a reliable mesh, too, because boot
 * programs have no room for that service, and packets of groups, which have a window of their own; they take no number
 * from this one. */
static uint16_t send_raw(struct pr_operator *op, struct pr_packet *packet, bool several)
{
    if (several)
        pr_group_first(&op->common.here, packet, pr_group_by_traffic(&op->common.traffic, &op->common.here));
    if (op->common.here.reliable) {
        packet->stamp_last = pr_clock_of(&op->common.here); /* it has not waited long: pr_pool_is_fresh */
        pr_pool_queue(&op->common.pool, packet);
        return (uint16_t)op->window.next;
    }
    pr_pool_queue(&op->common.pool, packet);
    op->window.edge++;
    return (uint16_t)op->window.next++;
}

int pr_operator_commit(struct pr_composition *composition, uint16_t *sequence)
{
    struct pr_operator *op = composition->op;
    struct pr_packet *packet = composition->packet;
    bool several = composition->entries > 1;
    uint16_t given;
    finish(composition);
    if (composition->error != 0) {
        pr_operator_cancel(composition);
        return composition->error;
    }
    pr_packet_set_counts(packet, composition->target_words, composition->data_words);
    packet->kind = 0;
    if (several && op->common.here.may_multicast)
        pr_group_sort(&op->common.here.ways, packet);
    given = op->common.here.reliable && !pr_handler_is_raw(composition->handler) ? pr_window_add(&op->window, packet)
                                                                                 : send_raw(op, packet, several);
    if (sequence)
        *sequence = given;
    pr_transmit(op);
    return 0;
}

int pr_operator_send(struct pr_operator *op, const struct pr_target *targets, unsigned count, uint8_t handler,
                     const uint32_t *data, unsigned words, uint16_t *sequence)
{
    struct pr_composition composition;
    pr_operator_begin(op, &composition, handler);
    for (unsigned k = 0; k < count; k++) {
        pr_operator_add_target(&composition, targets[k].site);
        for (unsigned i = 0; i < targets[k].info_words; i++)
            pr_operator_add_info(&composition, targets[k].info[i]);
    }
    for (unsigned k = 0; k < words; k++)
        pr_operator_add_data(&composition, data[k]);
    return pr_operator_commit(&composition, sequence);
}

int pr_operator_send_blocking(struct pr_operator *op, const struct pr_target *targets, unsigned count, uint8_t handler,
                              const uint32_t *data, unsigned words, uint16_t *sequence, void (*idle)(void *context),
                              void *context)
{
    int error;
    for (;;) {
        error = pr_operator_send(op, targets, count, handler, data, words, sequence);
        if (error != -PR_OPERATOR_WINDOW_FULL && error != -PR_OPERATOR_NO_BUFFER)
            return error;
        if (!pr_operator_poll(op) && idle)
            idle(context);
    }
}
