/* A packet in the fifo_buffer:
 *
 *   head crosses --CLOCKS_DELIVER--> SHOWN --a buffer is posted--> TAKEN --terminator, and all words before it--> gone
 *                                     '----patience is at its end--> DISCARDED --'
 *
 * While the first packet waits for a buffer, the words behind fill the fifo_buffer; the local net_output then has a
 * limit.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/receiver.h"

#include <stdlib.h>
#include <string.h>

#include "functional/router_model.h"
#include "support/or_abort.h"
#include "support/run_memory.h"

static struct arrival *new_arrival(struct functional *functional)
{
    struct arrival *arrival = functional->free_arrivals;
    if (!arrival) {
        arrival = or_abort(run_memory_allocate(1, sizeof *arrival));
    } else {
        functional->free_arrivals = arrival->next;
    }
    memset(arrival, 0, sizeof *arrival);
    return arrival;
}

static void free_arrival(struct functional *functional, struct arrival *arrival)
{
    packet_pool_land(&functional->packets, arrival->flight);
    arrival->next = functional->free_arrivals;
    functional->free_arrivals = arrival;
}

static void begin_arrival(struct functional *functional, struct receiver *receiver, const struct mark *mark)
{
    struct arrival *arrival = new_arrival(functional);
    arrival->flight = mark->flight;
    arrival->first = mark->index;
    arrival->end = mark->flight->end;
    arrival->shown = functional->now + CLOCKS_DELIVER;
    if (receiver->front)
        receiver->back->next = arrival;
    else
        receiver->front = arrival;
    receiver->back = arrival;
}

static void note_target(struct arrival *arrival, const struct mark *mark)
{
    unsigned word = mark->index / 32;
    uint32_t bit = 1u << mark->index % 32;
    arrival->targets[word] |= bit;
    if (mark->copy == COPY_ELSEWHERE)
        arrival->elsewhere[word] |= bit;
    if (mark->copy == COPY_MARKED)
        arrival->marked[word] |= bit;
}

/* The fifo_buffer drains, one word a clock. */
static void open_output(const struct functional *functional, struct functional_site *site)
{
    struct output *output = &site->outputs[PR_PORT_LOCAL];
    if (output->limit != NO_LIMIT) {
        int64_t offset = (int64_t)functional->now + 1 - output->limit;
        if (offset > output->offset) {
            output->stalls += (uint32_t)(offset - output->offset);
            output->offset = offset;
        }
    }
    output->limit = NO_LIMIT;
    output->wait = false;
}

/* Packets that no buffer has been found for, and terminators that have come. */
static unsigned places_taken(const struct receiver *receiver)
{
    unsigned places = 0;
    for (const struct arrival *arrival = receiver->front; arrival; arrival = arrival->next)
        places += !arrival->taken + (arrival->tag != PR_TAG_NULL_TRANSMISSION);
    return places;
}

/* Where the fifo_buffer has places and not words, the local net_output moves the next packet or terminator while there
 * is one. */
static void bound_places(const struct functional *functional, struct functional_site *site)
{
    const struct receiver *receiver = &site->receiver;
    struct output *output = &site->outputs[PR_PORT_LOCAL];
    unsigned places = functional->options.places;
    if (places == PLACES_OF_WORDS)
        return;
    if (places == PLACES_UNBOUNDED || places_taken(receiver) < places)
        open_output(functional, site);
    else if (receiver->back->tag == PR_TAG_NULL_TRANSMISSION)
        output->limit = receiver->back->flight->end;
    else
        output->wait = true;
}

void receiver_take(struct functional *functional, struct functional_site *site, const struct mark *mark)
{
    struct receiver *receiver = &site->receiver;
    if (mark->kind == MARK_HEAD)
        begin_arrival(functional, receiver, mark);
    struct arrival *arrival = receiver->back;
    if (mark->kind != MARK_END) {
        note_target(arrival, mark);
    } else {
        arrival->ended = functional->now + CLOCKS_DELIVER;
        arrival->tag = mark->tag;
        arrival->end = mark->index; /* of an aborted packet: behind the words that have come */
    }
    bound_places(functional, site);
    site_operator_due(site, functional->now + CLOCKS_DELIVER);
}

static bool is_set(const uint32_t bits[PR_PACKET_INFO_WORDS], unsigned index)
{
    return bits[index / 32] >> index % 32 & 1;
}

/* A target word, with the mark that a split has set or taken away. */
static uint32_t target_word(const struct arrival *arrival, unsigned index, uint32_t mark)
{
    uint32_t word = arrival->flight->packet.words[index];
    if (is_set(arrival->elsewhere, index))
        return word & ~mark;
    return is_set(arrival->marked, index) ? word | mark : word;
}

/* Words that were not null_target: targets that have come, with their target_info, and data. */
static unsigned kept_words(const struct arrival *arrival)
{
    const struct pr_packet *packet = &arrival->flight->packet;
    unsigned words = arrival->end > packet->target_words ? arrival->end - packet->target_words : 0;
    unsigned targets = arrival->end < packet->target_words ? arrival->end : packet->target_words;
    bool kept = false;
    for (unsigned i = arrival->first; i < targets; i++) {
        if (!pr_packet_is_info(packet, i))
            kept = is_set(arrival->targets, i);
        words += kept;
    }
    return words;
}

/* The packet as it arrives: only the targets that have come. */
static void build_packet(const struct arrival *arrival, struct pr_packet *out, uint32_t mark)
{
    const struct pr_packet *packet = &arrival->flight->packet;
    unsigned targets = 0;
    bool kept = false;
    *out = *packet;
    memset(out->info, 0, sizeof out->info);
    for (unsigned i = arrival->first; i < packet->target_words; i++) {
        bool info = pr_packet_is_info(packet, i);
        if (!info)
            kept = is_set(arrival->targets, i);
        if (!kept)
            continue;
        out->words[targets] = target_word(arrival, i, mark);
        out->info[targets / 32] |= (uint32_t)info << targets % 32;
        targets++;
    }
    memcpy(out->words + targets, packet->words + packet->target_words, packet->data_words * sizeof(uint32_t));
    pr_packet_set_counts(out, targets, packet->data_words);
}

/* The local net_output may move words while there is room for them. */
static void limit_output(const struct functional *functional, struct functional_site *site)
{
    struct receiver *receiver = &site->receiver;
    struct output *output = &site->outputs[PR_PORT_LOCAL];
    unsigned room = functional->mesh.upstream_depth + WORDS_BUFFER;
    for (const struct arrival *arrival = receiver->front; arrival; arrival = arrival->next) {
        unsigned words = kept_words(arrival) + 1;
        if (arrival->tag == PR_TAG_NULL_TRANSMISSION) {
            output->limit = (uint16_t)(arrival->first + room);
            return;
        }
        room -= words < room ? words : room;
    }
    output->wait = room == 0;
}

/* The first packet waits for a buffer in this clock. */
static void wait_for_buffer(struct functional *functional, struct functional_site *site,
                            const struct ni_model *interface)
{
    struct receiver *receiver = &site->receiver;
    if (receiver->waits_since == UINT64_MAX)
        receiver->waits_since = functional->now;
    if (interface->receive_patience)
        site_due(site, interface->dry_since + interface->receive_patience);
    if (functional->options.places == PLACES_OF_WORDS)
        limit_output(functional, site);
}

/* The first word moves into the network_interface, if it can. */
static void take_first(struct functional *functional, struct functional_site *site, const struct ni_model *interface)
{
    struct receiver *receiver = &site->receiver;
    struct arrival *arrival = receiver->front;
    enum ni_model_reception reception = ni_model_reception(interface);
    if (reception == NI_MODEL_WAITS) {
        wait_for_buffer(functional, site, interface);
        return;
    }
    if (receiver->waits_since != UINT64_MAX) {
        receiver->waited += functional->now - receiver->waits_since;
        receiver->waits_since = UINT64_MAX;
        open_output(functional, site);
    }
    arrival->taken = true;
    arrival->discarded = reception == NI_MODEL_DISCARDS;
    arrival->begun = functional->now;
}

static void end_arrival(struct functional *functional, struct functional_site *site, struct ni_model *interface)
{
    struct receiver *receiver = &site->receiver;
    struct arrival *arrival = receiver->front;
    uint32_t buffer[PR_PACKET_BUFFER_WORDS(functional->packets.words)];
    struct pr_packet *packet = (struct pr_packet *)buffer;
    if (arrival->discarded) {
        ni_model_discard_packet(interface, arrival->tag);
    } else {
        build_packet(arrival, packet, functional->map.mark);
        ni_model_receive_packet(interface, packet, arrival->tag, arrival->begun);
    }
    receiver->front = arrival->next;
    receiver->free_from = functional->now + 1;
    if (receiver->front)
        site_due(site, receiver->free_from);
    free_arrival(functional, arrival);
}

/* True if the first packet has ended. */
static bool move_first(struct functional *functional, struct functional_site *site, struct ni_model *interface,
                       struct simulation_arrival *clocks)
{
    struct receiver *receiver = &site->receiver;
    struct arrival *arrival = receiver->front;
    uint64_t now = functional->now;
    if (!arrival)
        return false;
    uint64_t shown = arrival->shown > receiver->free_from ? arrival->shown : receiver->free_from;
    if (!arrival->taken && shown <= now)
        take_first(functional, site, interface);
    if (!arrival->taken || arrival->tag == PR_TAG_NULL_TRANSMISSION) {
        if (shown > now)
            site_due(site, shown);
        return false;
    }
    uint64_t end = arrival->begun + kept_words(arrival);
    if (end < arrival->ended)
        end = arrival->ended;
    if (end > now) {
        site_due(site, end);
        return false;
    }
    *clocks = (struct simulation_arrival){arrival->begun, now};
    end_arrival(functional, site, interface);
    return true;
}

bool receiver_clock(struct functional *functional, struct functional_site *site, struct ni_model *interface,
                    struct simulation_arrival *clocks)
{
    bool ended = move_first(functional, site, interface, clocks);
    bound_places(functional, site);
    return ended;
}

void receiver_forget(struct functional *functional, struct functional_site *site)
{
    while (site->receiver.front) {
        struct arrival *arrival = site->receiver.front;
        site->receiver.front = arrival->next;
        free_arrival(functional, arrival);
    }
}

uint64_t receiver_waits(const struct receiver *receiver, uint64_t now)
{
    return receiver->waited + (receiver->waits_since == UINT64_MAX ? 0 : now - receiver->waits_since);
}
