/* See neighbour.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/neighbour.h"

#include <string.h>

enum record_kind { RECORD_WORD, RECORD_STATUS, RECORD_LANDED };

/* One thing that crosses. Behind a head come the packet's descriptor and its words. */
struct record {
    uint64_t flight; /* the address of a packet in the rank that has sent it first */
    int64_t offset;
    uint32_t site;
    uint16_t index; /* of a word; of a status: its limit */
    uint8_t kind, port, mark, tag, copy, wait;
};

static void place_mark(struct site_set *set, struct functional_site *site, unsigned port, const struct mark *mark,
                       uint64_t clock)
{
    unsigned slot = clock & 1;
    site->inputs[port].arriving[slot] = *mark;
    site->inputs[port].arriving[slot].clock = clock;
    site->arriving[slot] |= 1u << port;
    site_set_add(set, site->number);
}

static void place_status(const struct functional *functional, struct site_set *set, struct functional_site *site,
                         unsigned port, struct status status)
{
    unsigned slot = (functional->now + 1) & 1;
    site->outputs[port].statuses[slot] = status;
    site->told[slot] |= 1u << port;
    site_set_add(set, site->number);
}

/* Of a site of another rank nothing is filled in here, not even its number. */
static uint32_t number_of(const struct functional *functional, const struct functional_site *site)
{
    return (uint32_t)(site - functional->sites);
}

static unsigned owner(const struct functional *functional, const struct functional_site *site)
{
    return ranks_owner(number_of(functional, site), functional->site_count);
}

static bool is_own(const struct functional_site *site)
{
    return site->inputs != NULL;
}

static size_t packet_size(const struct pr_packet *packet)
{
    return sizeof *packet + (packet->target_words + packet->data_words) * sizeof *packet->words;
}

static void cross_mark(const struct functional *functional, const struct functional_site *site, unsigned port,
                       const struct mark *mark)
{
    const struct pr_packet *packet = &mark->flight->packet;
    struct record record = {.kind = RECORD_WORD,
                            .flight = (uintptr_t)mark->flight,
                            .site = number_of(functional, site),
                            .index = mark->index,
                            .port = (uint8_t)port,
                            .mark = mark->kind,
                            .tag = mark->tag,
                            .copy = mark->copy};
    ranks_cross(owner(functional, site), &record, sizeof record);
    if (mark->kind == MARK_HEAD)
        ranks_cross(owner(functional, site), packet, packet_size(packet));
}

static void cross_status(const struct functional *functional, const struct functional_site *site, unsigned port,
                         struct status status)
{
    struct record record = {.kind = RECORD_STATUS,
                            .flight = status.flight ? status.flight->home : 0,
                            .offset = status.offset,
                            .site = number_of(functional, site),
                            .index = status.limit,
                            .port = (uint8_t)port,
                            .wait = status.wait};
    ranks_cross(owner(functional, site), &record, sizeof record);
}

void neighbour_show(struct functional *functional, struct functional_site *neighbour, unsigned port,
                    const struct mark *mark)
{
    if (is_own(neighbour))
        place_mark(&functional->calendar.next, neighbour, port, mark, functional->now + CLOCKS_HOP);
    else
        cross_mark(functional, neighbour, port, mark);
}

void neighbour_show_now(struct functional *functional, struct functional_site *neighbour, unsigned port,
                        const struct mark *mark)
{
    place_mark(&functional->calendar.now, neighbour, port, mark, functional->now);
}

void neighbour_tell(struct functional *functional, struct functional_site *neighbour, unsigned port,
                    struct status status)
{
    if (is_own(neighbour))
        place_status(functional, &functional->calendar.next, neighbour, port, status);
    else
        cross_status(functional, neighbour, port, status);
}

/* The site of a record that has come, whose number the sender has from the mesh that all ranks have. */
static struct functional_site *site_of(const struct functional *functional, const struct record *record)
{
    return &functional->sites[record->site];
}

/* A word has come. Returns the length of the packet behind it. */
static size_t take_word(struct functional *functional, unsigned from, const struct record *record,
                        const uint8_t *behind)
{
    struct flight **carried = &functional->carried[record->site * (size_t)functional->ports + record->port];
    struct mark mark = {.index = record->index, .kind = record->mark, .tag = record->tag, .copy = record->copy};
    size_t size = 0;
    if (record->mark == MARK_HEAD) {
        struct pr_packet packet;
        memcpy(&packet, behind, sizeof packet);
        size = packet_size(&packet);
        *carried = packet_pool_adopt(&functional->packets, behind, size, from, record->flight);
    }
    mark.flight = *carried;
    place_mark(&functional->calendar.now, site_of(functional, record), record->port, &mark,
               functional->now + CLOCKS_HOP);
    return size;
}

static void take_status(struct functional *functional, const struct record *record)
{
    struct status status = {.flight = (struct flight *)(uintptr_t)record->flight,
                            .offset = record->offset,
                            .limit = record->index,
                            .wait = record->wait};
    place_status(functional, &functional->calendar.now, site_of(functional, record), record->port, status);
}

static size_t take(void *context, unsigned from, const uint8_t *bytes)
{
    struct functional *functional = context;
    struct record record;
    size_t behind = 0;
    memcpy(&record, bytes, sizeof record);
    if (record.kind == RECORD_WORD)
        behind = take_word(functional, from, &record, bytes + sizeof record);
    else if (record.kind == RECORD_STATUS)
        take_status(functional, &record);
    else
        packet_pool_land(&functional->packets, (struct flight *)(uintptr_t)record.flight);
    return sizeof record + behind;
}

static void report_landed(struct functional *functional)
{
    const struct flight *flight;
    while ((flight = packet_pool_landed(&functional->packets)) != NULL) {
        struct record record = {.kind = RECORD_LANDED, .flight = flight->home};
        ranks_cross(flight->home_rank, &record, sizeof record);
    }
}

/* Has a site something to do in clock `next`? Its bucket has visits of timers, too, that were cancelled. */
static bool is_due(const struct functional *functional, uint64_t next)
{
    const struct calendar_bucket *bucket = &functional->calendar.buckets[next % CALENDAR_CLOCKS];
    for (uint32_t i = 0; i < bucket->count; i++)
        if (functional->sites[bucket->sites[i]].due <= next)
            return true;
    return !calendar_set_is_empty(&functional->calendar, &functional->calendar.now);
}

static struct ranks_outlook own_outlook(const struct functional *functional, uint64_t next)
{
    return (struct ranks_outlook){.first_event = calendar_first(&functional->calendar, next),
                                  .next_tick = functional->simulation.next_tick,
                                  .link_words = functional->link_words,
                                  .moves = functional->packets.flying || functional->polls || functional->held ||
                                           is_due(functional, next)};
}

struct ranks_outlook neighbour_outlook(const struct functional *functional, uint64_t next)
{
    return ranks_count() > 1 ? functional->outlook : own_outlook(functional, next);
}

bool neighbour_exchange(struct functional *functional, uint64_t next)
{
    if (ranks_count() == 1)
        return false;
    report_landed(functional);
    functional->outlook = own_outlook(functional, next);
    bool crossed = ranks_exchange(&functional->outlook, take, functional);
    if (crossed) {
        functional->outlook.first_event = next;
        functional->outlook.moves = true;
    }
    return crossed;
}
