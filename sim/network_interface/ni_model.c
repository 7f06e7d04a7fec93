/* Two rings of packets and, on either side of them, one word a clock. The rings work as on a node: the operator
 * advances `produced` and `consumed`, this model advances `moved`.
 *
 * SPDX-License-Identifier: ISC
 */
#include "network_interface/ni_model.h"

#include <string.h>

#include "protocol.h"

static struct ni_model *native_of(struct pr_network_interface *interface)
{
    return (struct ni_model *)interface; /* its first member */
}

static bool ring_put(struct ni_model_ring *ring, struct pr_packet *packet)
{
    if (ring->produced - ring->consumed == NATIVE_INTERFACE_RING)
        return false;
    ring->slots[ring->produced++ % NATIVE_INTERFACE_RING] = packet;
    return true;
}

static struct pr_packet *ring_take_back(struct ni_model_ring *ring)
{
    if (ring->consumed == ring->moved)
        return NULL;
    return ring->slots[ring->consumed++ % NATIVE_INTERFACE_RING];
}

/* The packet whose words are in transfer now, or NULL. */
static struct pr_packet *ring_current(const struct ni_model_ring *ring)
{
    if (ring->moved == ring->produced)
        return NULL;
    return ring->slots[ring->moved % NATIVE_INTERFACE_RING];
}

/* The operator does something that takes so many clocks, when it is through with all before. Returns when it has. */
static uint64_t spend(struct ni_model *native, uint64_t clocks)
{
    uint64_t begin = native->busy_until > *native->now ? native->busy_until : *native->now;
    return native->busy_until = begin + clocks;
}

/* Handlers that have been called since. One that sends has been called before. */
static void spend_on_handlers(struct ni_model *native)
{
    if (!native->op || !native->clocks.handler)
        return;
    uint32_t delivered = pr_operator_counter(native->op, PR_COUNTER_DELIVERED);
    spend(native, (uint64_t)(delivered - native->handled) * native->clocks.handler);
    native->handled = delivered;
}

bool ni_model_is_busy(struct ni_model *native)
{
    spend_on_handlers(native);
    return native->busy_until > *native->now;
}

/* The operator takes its pace from how long its first buffers take it, which is half of a round trip. */
static bool post(struct pr_network_interface *interface, struct pr_packet *packet)
{
    struct ni_model *native = native_of(interface);
    if (native->receive.produced == 0)
        spend(native, (uint64_t)native->clocks.receive + native->clocks.send + native->clocks.handler / 2);
    return ring_put(&native->receive, packet);
}

static struct pr_packet *received(struct pr_network_interface *interface)
{
    struct ni_model *native = native_of(interface);
    if (native->receive.consumed == native->receive.moved)
        return NULL;
    if (!native->receiving)
        spend(native, native->clocks.receive);
    native->receiving = native->busy_until > *native->now;
    return native->receiving ? NULL : ring_take_back(&native->receive);
}

static bool send(struct pr_network_interface *interface, struct pr_packet *packet)
{
    struct ni_model *native = native_of(interface);
    uint32_t slot = native->send.produced % NATIVE_INTERFACE_RING;
    if (!ring_put(&native->send, packet))
        return false;
    spend_on_handlers(native);
    native->leaves[slot] = spend(native, native->clocks.send);
    return true;
}

static struct pr_packet *sent(struct pr_network_interface *interface)
{
    return ring_take_back(&native_of(interface)->send);
}

static unsigned send_room(struct pr_network_interface *interface)
{
    const struct ni_model_ring *ring = &native_of(interface)->send;

    return NATIVE_INTERFACE_RING - (ring->produced - ring->consumed);
}

static uint32_t counter(struct pr_network_interface *interface, unsigned index)
{
    struct ni_model *native = native_of(interface);

    if (index >= PR_COUNTER_RECEIVED_PACKETS && index <= PR_COUNTER_RECEIVED_DISCARDED)
        return native->counters[index];
    return native->fabric_counter ? native->fabric_counter(native->fabric_context, index) : 0;
}

/* The operator's own time is ahead of the mesh's while it is busy. */
static uint32_t clock_now(struct pr_network_interface *interface)
{
    const struct ni_model *native = native_of(interface);
    return (uint32_t)(native->busy_until > *native->now ? native->busy_until : *native->now);
}

static void relieve(struct pr_network_interface *interface, bool on)
{
    native_of(interface)->relief = on;
}

static const struct pr_network_interface_functions native_functions = {
    .post = post,
    .received = received,
    .send = send,
    .sent = sent,
    .send_room = send_room,
    .counter = counter,
    .clock = clock_now,
    .relieve = relieve,
};

void ni_model_init(struct ni_model *native, unsigned word_width, const uint64_t *now, uint16_t receive_words)
{
    memset(native, 0, sizeof *native);
    native->interface.functions = &native_functions;
    native->interface.capabilities = (struct pr_capabilities){.multicast = true, .diverts = true}; /* cutthrough's */
    native->word_width = word_width;
    native->now = now;
    native->receive_words = receive_words;
    native->dry_since = *now;
}

/* Words of a packet to be sent, without the terminator. */
static unsigned sent_length(const struct pr_packet *packet)
{
    return pr_packet_sent_targets(packet) + pr_packet_data_words(packet);
}

static uint64_t tagged(const struct ni_model *native, uint64_t tag, uint32_t word)
{
    return tag << native->word_width | word;
}

/* The tag of a word of an outgoing packet, at `position` among its target words. */
static unsigned target_tag(const struct pr_packet *packet, unsigned position)
{
    if (pr_packet_is_info(packet, position))
        return PR_TAG_TARGET_INFO;
    return packet->kind & PR_KIND_MULTICAST ? PR_TAG_MULTICAST_SITE : PR_TAG_UNICAST_SITE;
}

/* The packet that is being sent, or may be. */
static struct pr_packet *leaving(const struct ni_model *native)
{
    bool may = native->leaves[native->send.moved % NATIVE_INTERFACE_RING] <= *native->now;
    return may ? ring_current(&native->send) : NULL;
}

uint64_t ni_model_next_leaves(const struct ni_model *native)
{
    uint64_t clock = native->leaves[native->send.moved % NATIVE_INTERFACE_RING];
    return ring_current(&native->send) && clock > *native->now ? clock : UINT64_MAX;
}

static uint64_t next_word(const struct ni_model *native)
{
    const struct pr_packet *packet = leaving(native);
    unsigned position = native->send_position;
    uint64_t tag = PR_TAG_DATA;

    if (!packet)
        return 0;
    if (position == sent_length(packet))
        return tagged(native, PR_TAG_END_OF_PACKET, 0);
    if (position < pr_packet_sent_targets(packet)) {
        position += packet->first_target;
        tag = target_tag(packet, position);
    } else {
        position += pr_packet_target_words(packet) - pr_packet_sent_targets(packet);
    }
    return tagged(native, tag, packet->words[position]);
}

/* A word stays until it is taken. */
uint64_t ni_model_offer(struct ni_model *native)
{
    if (!native->offered)
        native->offered = next_word(native);
    return native->offered;
}

/* True if, between packets, no buffer has been posted for so long that the next packet is discarded. */
static bool out_of_patience(const struct ni_model *native)
{
    return native->receive_patience != 0 && *native->now - native->dry_since >= native->receive_patience;
}

bool ni_model_wait(struct ni_model *native)
{
    bool dry = !ring_current(&native->receive);

    if (!dry)
        native->dry_since = *native->now;
    native->wait_shown = dry && !native->discarding && !out_of_patience(native);
    return native->wait_shown;
}

static void clock_send(struct ni_model *native, bool send_wait)
{
    struct pr_packet *packet = ring_current(&native->send);

    if (native->offered == 0)
        return;
    if (send_wait) {
        native->counters[PR_COUNTER_SENT_WAITS]++;
        return;
    }
    native->offered = 0;
    if (native->send_position == 0)
        packet->stamp_first = (uint32_t)*native->now;
    if (native->send_position++ < sent_length(packet))
        return;
    packet->stamp_last = (uint32_t)*native->now;
    native->send_position = 0;
    native->send.moved++;
    native->counters[PR_COUNTER_SENT_PACKETS]++;
}

static void start_packet(struct pr_packet *packet, uint64_t clock)
{
    packet->stamp_first = (uint32_t)clock;
    packet->kind = 0;
    memset(packet->info, 0, sizeof packet->info);
}

static void end_packet(struct ni_model *native, struct pr_packet *packet, unsigned terminator)
{
    bool oversize = packet->kind & PR_KIND_OVERSIZE;

    if (terminator == PR_TAG_ABORT_PACKET) {
        native->counters[PR_COUNTER_RECEIVED_ABORTED]++; /* O3: the same buffer takes the next packet */
    } else {
        pr_packet_set_counts(packet, native->target_words, native->data_words);
        packet->kind |= terminator;
        packet->stamp_last = (uint32_t)*native->now;
        native->receive.moved++;
        native->counters[PR_COUNTER_RECEIVED_PACKETS]++;
        native->counters[PR_COUNTER_RECEIVED_OVERSIZE] += oversize;
    }
    native->in_packet = false;
    native->target_words = native->data_words = 0;
}

static void store_word(struct ni_model *native, struct pr_packet *packet, unsigned tag, uint32_t word)
{
    unsigned position = native->target_words + native->data_words;
    bool is_target = tag != PR_TAG_DATA;

    if (position >= native->receive_words || (is_target && position >= PR_PACKET_TARGET_WORDS_MAX)) {
        packet->kind |= PR_KIND_OVERSIZE;
        return;
    }
    if (tag == PR_TAG_MULTICAST_SITE && position == 0)
        packet->kind |= PR_KIND_MULTICAST;
    if (tag == PR_TAG_TARGET_INFO)
        packet->info[position / 32] |= 1u << position % 32;
    packet->words[position] = word;
    if (is_target && native->data_words == 0)
        native->target_words++;
    else
        native->data_words++;
}

/* Handles a word of a packet for which no buffer is posted. */
static void discard_word(struct ni_model *native, unsigned tag)
{
    native->discarding = !pr_packet_tag_ends(tag);
    if (tag == PR_TAG_ABORT_PACKET)
        native->counters[PR_COUNTER_RECEIVED_ABORTED]++;
    else if (pr_packet_tag_ends(tag))
        native->counters[PR_COUNTER_RECEIVED_DISCARDED]++;
}

static void clock_receive(struct ni_model *native, uint64_t receive)
{
    struct pr_packet *packet = ring_current(&native->receive);
    unsigned tag = (unsigned)(receive >> native->word_width);

    if (tag == PR_TAG_NULL_TRANSMISSION || tag == PR_TAG_NULL_TARGET)
        return;
    if (native->wait_shown) {
        native->counters[PR_COUNTER_RECEIVE_WAITS]++;
        return;
    }
    if (native->discarding || !packet) {
        discard_word(native, tag);
        return;
    }
    if (!native->in_packet)
        start_packet(packet, *native->now);
    native->in_packet = true;
    if (pr_packet_tag_ends(tag))
        end_packet(native, packet, tag);
    else
        store_word(native, packet, tag, (uint32_t)(receive & ((UINT64_C(1) << native->word_width) - 1)));
}

void ni_model_clock(struct ni_model *native, bool send_wait, uint64_t receive)
{
    clock_send(native, send_wait);
    clock_receive(native, receive);
}

bool ni_model_active(const struct ni_model *native)
{
    return native->send.moved != native->send.produced || native->in_packet || native->discarding;
}

const struct pr_packet *ni_model_next_packet(const struct ni_model *native)
{
    return leaving(native);
}

void ni_model_packet_left(struct ni_model *native, uint64_t first)
{
    struct pr_packet *packet = ring_current(&native->send);
    packet->stamp_first = (uint32_t)first;
    packet->stamp_last = (uint32_t)*native->now;
    native->send.moved++;
    native->counters[PR_COUNTER_SENT_PACKETS]++;
}

enum ni_model_reception ni_model_reception(const struct ni_model *native)
{
    if (ring_current(&native->receive))
        return NI_MODEL_RECEIVES;
    return out_of_patience(native) ? NI_MODEL_DISCARDS : NI_MODEL_WAITS;
}

bool ni_model_receive_packet(struct ni_model *native, const struct pr_packet *sent, unsigned terminator, uint64_t first)
{
    struct pr_packet *packet = ring_current(&native->receive);
    unsigned targets = pr_packet_target_words(sent), words = targets + pr_packet_data_words(sent);
    if (!packet)
        return false;
    start_packet(packet, first);
    for (unsigned i = sent->first_target; i < pr_packet_end_target(sent); i++)
        store_word(native, packet, target_tag(sent, i), sent->words[i]);
    for (unsigned i = targets; i < words; i++)
        store_word(native, packet, PR_TAG_DATA, sent->words[i]);
    end_packet(native, packet, terminator);
    native->dry_since = *native->now;
    return true;
}

void ni_model_discard_packet(struct ni_model *native, unsigned terminator)
{
    discard_word(native, terminator);
}
