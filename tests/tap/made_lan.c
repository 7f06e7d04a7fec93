/* See made_lan.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "made_lan.h"

#include "check.h"
#include "tap/fragments.h"
#include "tap/packet.h"

#include <stdlib.h>
#include <string.h>

const uint16_t made_sites[MADE_SITES] = {0, 5, 15, 300};

/* What the console would make of a request, and the other site of its delivery. */
static void add_packets(struct made_lan *made, size_t place, const struct pr_frame *request)
{
    static struct pr_message_delivery delivery;
    struct pr_payload_reader reader = pr_frames_payload(request);
    CHECK_EQUAL(pr_payload_next(&reader, 1), TAP_HANDLER);
    CHECK_EQUAL(pr_payload_next(&reader, 1), 0);
    unsigned targets = pr_payload_next(&reader, 2);
    uint16_t sites[MADE_SITES];
    delivery.data_words = pr_payload_next(&reader, 2);
    CHECK(targets > 0 && targets <= MADE_SITES);
    CHECK(targets + delivery.data_words + 3 <= made->mesh.max_packet);
    for (unsigned i = 0; i < targets; i++) {
        sites[i] = (uint16_t)pr_payload_next(&reader, 2);
        CHECK_EQUAL(pr_payload_next(&reader, 2), 0);
    }
    for (unsigned i = 0; i < delivery.data_words; i++)
        delivery.data[i] = pr_payload_next(&reader, 4);
    CHECK(pr_payload_is_complete(&reader));
    for (unsigned i = 0; i < targets; i++) {
        CHECK(made->packet_count < MADE_PACKETS);
        struct made_packet *packet = made->packets[made->packet_count++] = malloc(sizeof *packet);
        CHECK(packet);
        packet->from = made_sites[place];
        packet->to = sites[i];
        packet->count = tap_packet_bytes(&made->mesh, &delivery, packet->bytes);
    }
}

/* As the carrier cuts it. */
static bool send(void *context, size_t place, struct tap_way way, const uint8_t *frame, size_t length)
{
    struct made_lan *made = context;
    struct tap_cut cut = {frame, (uint16_t)length, made->identification[place]};
    struct pr_frame request;
    uint8_t bytes[TAP_PACKET_BYTES_MOST];
    if (made->full)
        return false;
    size_t room = way.to_group ? tap_groups_room(made->groups, place, (uint8_t)way.number)
                               : tap_packet_room(&made->mesh, 1);
    CHECK(room > TAP_FRAGMENT_HEADER);
    for (size_t offset = 0, count; offset < length; offset += count - TAP_FRAGMENT_HEADER) {
        count = tap_fragment_write(&cut, offset, room, bytes);
        CHECK(count <= room);
        if (!way.to_group) {
            tap_packet_compose(&made->mesh, &way.number, 1, bytes, count, &request);
            add_packets(made, place, &request);
        }
        for (unsigned part = 0;
             way.to_group && tap_groups_request(made->groups, place, (uint8_t)way.number, part, bytes, count, &request);
             part++)
            add_packets(made, place, &request);
    }
    made->identification[place]++;
    return true;
}

static bool take(void *context, size_t place, const uint8_t *frame, size_t length)
{
    struct made_lan *made = context;
    if (made->deaf)
        return false;
    CHECK(length <= MADE_FRAME_ROOM);
    if (made->taken_count[place] < MADE_TAKEN) {
        struct made_frame *taken = &made->taken[place][made->taken_count[place]];
        memcpy(taken->bytes, frame, length);
        taken->length = length;
    }
    made->taken_count[place]++;
    return true;
}

static void change(void *context, size_t place, const struct tap_address *address, bool joined)
{
    struct made_lan *made = context;
    made->joined[place] += joined ? 1u : -1u;
    CHECK(tap_address_is_joined(address));
}

void made_lan_create(struct made_lan *made, unsigned word_width, unsigned max_packet)
{
    struct tap_lan_ways ways = {made, send, take, change};
    memset(made, 0, sizeof *made);
    made->mesh.word_width = word_width;
    made->mesh.max_packet = max_packet;
    made->groups = tap_groups_create(&made->mesh, made_sites, MADE_SITES);
    made->lan = tap_lan_create(made_sites, MADE_SITES, made->groups, &ways);
    CHECK(made->groups && made->lan);
}

void made_lan_destroy(struct made_lan *made)
{
    while (made->packet_count)
        made_lan_lose(made, made->packet_count - 1);
    tap_lan_destroy(made->lan);
    tap_groups_destroy(made->groups);
}

/* The sanitizers notice a read behind its end. */
static uint8_t *exact_copy(const uint8_t *bytes, size_t count)
{
    uint8_t *copy = malloc(count);
    CHECK(copy || !count);
    if (count)
        memcpy(copy, bytes, count);
    return copy;
}

void made_lan_send(struct made_lan *made, size_t place, const struct made_frame *frame, double now)
{
    uint8_t *exact = exact_copy(frame->bytes, frame->length);
    tap_lan_send(made->lan, place, exact, frame->length, now);
    free(exact);
}

static size_t place_of(unsigned site)
{
    size_t place = 0;
    while (made_sites[place] != site)
        CHECK(++place < MADE_SITES);
    return place;
}

void made_lan_deliver(struct made_lan *made, size_t index, double now)
{
    const struct made_packet *packet = made->packets[index];
    uint8_t *exact = exact_copy(packet->bytes, packet->count);
    tap_lan_receive(made->lan, place_of(packet->to), packet->from, exact, packet->count, now);
    free(exact);
    made_lan_lose(made, index);
}

void made_lan_lose(struct made_lan *made, size_t index)
{
    free(made->packets[index]);
    made->packet_count--;
    memmove(&made->packets[index], &made->packets[index + 1], (made->packet_count - index) * sizeof *made->packets);
}

void made_lan_deliver_all(struct made_lan *made, double now)
{
    while (made->packet_count)
        made_lan_deliver(made, 0, now);
}

void made_lan_forget(struct made_lan *made)
{
    memset(made->taken_count, 0, sizeof made->taken_count);
}
