/* See packet_tap.h. A word is shown on a link until it moves, and the counter of words that left through the link's
 * port says in which clock it did:
 *
 *   tick of clock    t       t+1     t+2     t+3
 *   shown            A       A       B       -
 *   counter          7       7       8       9         A moved in clock t+1, B in clock t+2
 *
 * Among what a line shows the discipline tells the words of packets.
 *
 * SPDX-License-Identifier: ISC
 */
#include "simulation/packet_tap.h"

#include "mesh/discipline.h"
#include "mesh/mesh.h"
#include "mesh/mesh_routes.h"
#include "protocol.h"
#include "simulation/simulation.h"
#include "support/or_abort.h"
#include "wire/group_packet.h"
#include "wire/header.h"
#include "wire/packet.h"

#include <stdlib.h>

enum {
    TAG_BITS = 3,
    SOURCES = UINT16_MAX + 1,
    WORDS_READ = PR_HEADER_WORDS_MAX + PR_GROUP_ANSWER_WORDS /* of the data: all that says what a packet is */
};

/* What has passed of a packet. */
struct passing {
    bool within;  /* of a packet */
    bool skipped; /* of one whose head was not seen, until its terminator */
    uint64_t head;
    uint32_t words, data_words;
    uint32_t data[WORDS_READ];
};

struct tapped_link {
    uint64_t shown;   /* {tag, word} in the clock that ran last; 0: none */
    uint32_t counter; /* of words out, before that clock */
    struct line_reader reader;
    struct passing packet;
};

struct packet_tap {
    struct simulation *simulation;
    const struct mesh_config *mesh;
    struct tapped_link *links; /* [site * links + link] */
    uint64_t clock;            /* that ran last */
    bool watched[SOURCES];
    struct packet_passage *passages;
    size_t count;
    uint64_t lost, words;
};

static bool is_head(unsigned tag)
{
    return tag == PR_TAG_UNICAST_SITE || tag == PR_TAG_MULTICAST_SITE || tag == PR_TAG_NULL_TARGET;
}

/* Of a packet whose header has so many words. False: it has no data, but is between the members themselves. */
static bool identify_in_group(const struct passing *packet, unsigned header, struct packet_passage *passage)
{
    struct pr_group_packet group;
    unsigned words = packet->data_words < WORDS_READ ? packet->data_words : WORDS_READ;
    if (words < header || !pr_group_packet_decode(&group, packet->data + header, words - header) ||
        (group.kind != PR_GROUP_KIND_DATA && group.kind != PR_GROUP_KIND_SUBMIT))
        return false;
    bool ordered = group.kind == PR_GROUP_KIND_DATA && group.ordered;
    passage->of_group = true;
    passage->group = group.group;
    passage->origin = ordered ? group.source : group.origin;
    passage->number = ordered ? group.number : group.sequence;
    return true;
}

/* Fills in the identity. False: it is no evaluator's packet, or was broken off before it had said which it is. */
static bool identify(const struct packet_tap *tap, const struct passing *packet, struct packet_passage *passage)
{
    struct pr_header header;
    if (packet->data_words < PR_HEADER_WORDS)
        return false;
    if (!tap->mesh->reliable) {
        header = (struct pr_header){.source = (uint16_t)packet->data[PR_HEADER_SOURCE],
                                    .sequence = (uint16_t)packet->data[PR_HEADER_SEQUENCE],
                                    .handler = (uint8_t)packet->data[PR_HEADER_HANDLER]};
    } else if (pr_header_decode(&header, packet->data, packet->data_words,
                                pr_header_kind_bit((unsigned)tap->mesh->word_width)) != PR_HEADER_KIND_DATA) {
        return false;
    }
    passage->source = header.source;
    passage->sequence = header.sequence;
    passage->epoch = (uint8_t)header.epoch;
    passage->handler = header.handler;
    return !tap->mesh->reliable || header.handler != PR_HANDLER_GROUP ||
           identify_in_group(packet, header.words, passage);
}

static void keep(struct packet_tap *tap, unsigned index, unsigned tag, uint64_t clock)
{
    const struct passing *packet = &tap->links[index].packet;
    const unsigned links = (unsigned)tap->mesh->links;
    struct packet_passage passage = {.head = packet->head,
                                     .terminator = clock,
                                     .site = (uint16_t)(index / links),
                                     .link = (uint16_t)(index % links),
                                     .tag = (uint8_t)tag,
                                     .words = packet->words};
    if (!identify(tap, packet, &passage) || !tap->watched[passage.of_group ? passage.origin : passage.source])
        return;
    if (tap->count < PACKET_TAP_PASSAGES)
        tap->passages[tap->count++] = passage;
    else
        tap->lost++;
}

/* A packet that carries its route begins with what is left of that. */
static bool begins(const struct packet_tap *tap, unsigned tag)
{
    return is_head(tag) || (tag == PR_TAG_TARGET_INFO && mesh_has_routes(tap->mesh));
}

static void pass(struct packet_tap *tap, unsigned index, uint64_t slot, uint64_t clock)
{
    struct passing *packet = &tap->links[index].packet;
    const unsigned width = (unsigned)tap->mesh->word_width;
    unsigned tag = (unsigned)(slot >> width) & ((1u << TAG_BITS) - 1);
    tap->words++;
    if (!packet->skipped && !packet->within && begins(tap, tag))
        *packet = (struct passing){.within = true, .head = clock};
    packet->skipped |= !packet->within;
    packet->words++;
    if (tag == PR_TAG_DATA && packet->data_words++ < WORDS_READ)
        packet->data[packet->data_words - 1] = (uint32_t)(slot & ((UINT64_C(1) << width) - 1));
    if (!pr_packet_tag_ends(tag))
        return;
    if (!packet->skipped)
        keep(tap, index, tag, clock);
    *packet = (struct passing){.within = false};
}

static uint32_t words_out(const struct packet_tap *tap, unsigned index)
{
    const unsigned links = (unsigned)tap->mesh->links;
    int counter = simulation_words_counter(tap->mesh, index / links, index % links);
    return counter < 0 ? 0 : simulation_counter(tap->simulation, index / links, (unsigned)counter);
}

/* A site that is reset counts from 0 again, and forgets what it was sending. */
static void look(struct packet_tap *tap, unsigned index, uint64_t shown)
{
    struct tapped_link *link = &tap->links[index];
    uint32_t counter = words_out(tap, index);
    if (link->shown && counter == link->counter + 1)
        pass(tap, index, link->shown, tap->clock);
    else if (counter < link->counter)
        link->packet = (struct passing){.within = false};
    link->counter = counter;
    link->shown = shown;
}

/* What a line shows moves in that clock. */
static void read_line(struct packet_tap *tap, unsigned index, uint64_t shown, uint64_t clock)
{
    const unsigned links = (unsigned)tap->mesh->links;
    uint64_t slot = tap->mesh->discipline->code->read_line(tap->mesh, index / links, index % links, clock, shown,
                                                           &tap->links[index].reader);
    if (slot)
        pass(tap, index, slot, clock);
}

static void tick(void *context, struct simulation *simulation, uint64_t clock)
{
    struct packet_tap *tap = context;
    const uint64_t *words = simulation_words(simulation);
    const unsigned count = (unsigned)(tap->mesh->sites * tap->mesh->links);
    for (unsigned index = 0; index < count; index++) {
        uint64_t shown = words[index] & LINK_SLOT_WORD;
        if (tap->mesh->discipline->lines)
            read_line(tap, index, shown, clock);
        else if (shown | tap->links[index].shown)
            look(tap, index, shown);
    }
    tap->clock = clock;
}

bool packet_tap_possible(const struct simulation *simulation, const struct mesh_config *mesh)
{
    const struct discipline *discipline = mesh->discipline;
    return simulation->signal && !mesh->board_links &&
           (!discipline->lines || (discipline->code && discipline->code->read_line));
}

struct packet_tap *packet_tap_create(struct simulation *simulation, const struct mesh_config *mesh)
{
    struct packet_tap *tap = or_abort(calloc(1, sizeof *tap));
    const size_t count = (size_t)mesh->sites * (size_t)mesh->links;
    tap->simulation = simulation;
    tap->mesh = mesh;
    tap->links = or_abort(calloc(count, sizeof *tap->links));
    tap->passages = or_abort(calloc(PACKET_TAP_PASSAGES, sizeof *tap->passages));
    for (unsigned index = 0; index < count; index++)
        tap->links[index].counter = words_out(tap, index);
    simulation_set_tick(simulation, tick, tap);
    return tap;
}

void packet_tap_destroy(struct packet_tap *tap)
{
    if (!tap)
        return;
    simulation_set_tick(tap->simulation, NULL, NULL);
    free(tap->links);
    free(tap->passages);
    free(tap);
}

void packet_tap_watch(struct packet_tap *tap, unsigned source)
{
    tap->watched[source] = true;
}

const struct packet_passage *packet_tap_passages(const struct packet_tap *tap, size_t *count)
{
    *count = tap->count;
    return tap->passages;
}

uint64_t packet_tap_lost(const struct packet_tap *tap)
{
    return tap->lost;
}

uint64_t packet_tap_words(const struct packet_tap *tap)
{
    return tap->words;
}
