/* See netrace.h. A packet names those that wait for it, by ids; so ids are looked up once all packets are read. Ids
 * that no packet has belong to packets that are not read.
 *
 * SPDX-License-Identifier: ISC
 */
#include "workload/netrace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

/* Types of packets carry an address, or an address and a cache line. */
enum { ADDRESS = 8, LINE = 72 };

static const uint8_t bytes_of_type[] = {
    [1] = ADDRESS,  /* ReadReq */
    [2] = LINE,     /* ReadResp */
    [3] = LINE,     /* ReadRespWithInvalidate */
    [4] = LINE,     /* WriteReq */
    [5] = ADDRESS,  /* WriteResp */
    [6] = LINE,     /* Writeback */
    [13] = ADDRESS, /* UpgradeReq */
    [14] = ADDRESS, /* UpgradeResp */
    [15] = ADDRESS, /* ReadExReq */
    [16] = LINE,    /* ReadExResp */
    [25] = ADDRESS, /* BadAddressError */
    [27] = ADDRESS, /* InvalidateReq */
    [28] = ADDRESS, /* InvalidateResp */
    [29] = ADDRESS, /* DowngradeReq */
    [30] = LINE,    /* DowngradeResp */
};

/* 0: there is no such type. */
static unsigned packet_bytes(unsigned type)
{
    return type < sizeof bytes_of_type ? bytes_of_type[type] : 0;
}

struct identity {
    uint32_t id, packet;
};

/* Of packet `before`: a packet with this id waits for it. */
struct awaiting {
    uint32_t before, id;
};

struct netrace {
    struct trace_reading *reading;
    struct identity *identities; /* of all packets, later in order of their ids */
    struct awaiting *awaiting;
    size_t identity_room, awaiting_count, awaiting_room;
};

static bool __attribute__((format(printf, 2, 3))) fail(struct trace_reading *reading, const char *format, ...)
{
    va_list arguments;
    int used = snprintf(reading->reason, sizeof reading->reason, "%s: ", reading->trace->path);
    va_start(arguments, format);
    if (used > 0 && (size_t)used < sizeof reading->reason)
        vsnprintf(reading->reason + used, sizeof reading->reason - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

static uint64_t number(const uint8_t *bytes, unsigned count)
{
    uint64_t value = 0;
    while (count-- > 0)
        value = value << 8 | bytes[count];
    return value;
}

static bool skip(struct trace_reading *reading, uint64_t count)
{
    return trace_bytes_take(&reading->bytes, NULL, count) == count ||
           fail(reading, "ends within its header or a region");
}

/* Goes to the first packet of the region that is wanted. */
static bool find_region(struct trace_reading *reading, uint32_t regions)
{
    uint8_t table[NETRACE_REGIONS_MOST * NETRACE_REGION];
    size_t length = regions * (size_t)NETRACE_REGION;
    unsigned wanted = reading->options->region;
    if (trace_bytes_take(&reading->bytes, table, length) != length)
        return fail(reading, "ends within its header");
    if (wanted == 0)
        return true;
    if (wanted >= regions)
        return fail(reading, "region %u: expected one of its %" PRIu32 " regions, from 0", wanted, regions);
    return skip(reading, number(table + wanted * NETRACE_REGION, 8));
}

static bool read_header(struct trace_reading *reading)
{
    uint8_t header[NETRACE_HEADER];
    size_t length = trace_bytes_take(&reading->bytes, header, sizeof header);
    if (length < sizeof header || number(header, 4) != NETRACE_MAGIC)
        return fail(reading, "neither text nor netrace, expected the header of netrace");
    if (number(header + NETRACE_HEADER_VERSION, 4) != NETRACE_VERSION)
        return fail(reading, "another version of netrace, expected 1.0");
    uint64_t nodes = header[NETRACE_HEADER_NODES], notes = number(header + NETRACE_HEADER_NOTES, 4);
    uint64_t regions = number(header + NETRACE_HEADER_REGIONS, 4);
    if (nodes > (uint64_t)reading->mesh->sites)
        return fail(reading, "has %" PRIu64 " nodes, expected a mesh of as many sites or more", nodes);
    if (notes > NETRACE_NOTES_MOST || regions > NETRACE_REGIONS_MOST)
        return fail(reading, "damaged header, expected at most %d bytes of notes and %d regions", NETRACE_NOTES_MOST,
                    NETRACE_REGIONS_MOST);
    return skip(reading, notes) && find_region(reading, (uint32_t)regions);
}

/* Makes room for `more` items. */
static bool grow(struct netrace *netrace, void *array, size_t count, size_t more, size_t *room, size_t item_size)
{
    void **items = array;
    if (count + more <= *room)
        return true;
    size_t wanted = 2 * (count + more) + 1024;
    void *grown = realloc(*items, wanted * item_size);
    if (!grown)
        return fail(netrace->reading, "out of memory for its packets");
    *items = grown;
    *room = wanted;
    return true;
}

static bool read_dependents(struct netrace *netrace, uint32_t before, unsigned count)
{
    uint8_t ids[4 * UINT8_MAX];
    if (trace_bytes_take(&netrace->reading->bytes, ids, 4 * count) != 4 * count)
        return fail(netrace->reading, "ends within packet %" PRIu32, before);
    if (!grow(netrace, &netrace->awaiting, netrace->awaiting_count, count, &netrace->awaiting_room,
              sizeof *netrace->awaiting))
        return false;
    for (unsigned i = 0; i < count; i++)
        netrace->awaiting[netrace->awaiting_count++] = (struct awaiting){before, (uint32_t)number(ids + 4 * i, 4)};
    return true;
}

/* Adds a packet that has been read, its words as wide as those of the mesh. */
static bool add_packet(struct trace_reading *reading, const uint8_t *packet)
{
    uint32_t index = (uint32_t)reading->trace->count;
    unsigned bytes = packet_bytes(packet[NETRACE_PACKET_TYPE]);
    unsigned word_bytes = (unsigned)reading->mesh->word_width / 8;
    char reason[TRACE_REASON];
    if (!bytes)
        return fail(reading, "packet %" PRIu32 ": type %u, expected a type of netrace", index,
                    packet[NETRACE_PACKET_TYPE]);
    if (trace_begin_packet(reading, number(packet, 8), packet[NETRACE_PACKET_SOURCE]) &&
        trace_add_target(reading, packet[NETRACE_PACKET_DESTINATION]) && trace_end_packet(reading, bytes / word_bytes))
        return true;
    snprintf(reason, sizeof reason, "%s", reading->reason);
    return fail(reading, "packet %" PRIu32 ": %s", index, reason);
}

static bool read_packets(struct netrace *netrace)
{
    struct trace_reading *reading = netrace->reading;
    uint8_t packet[NETRACE_PACKET];
    while (reading->trace->count < reading->options->most) {
        uint32_t index = (uint32_t)reading->trace->count;
        size_t length = trace_bytes_take(&reading->bytes, packet, sizeof packet);
        if (length == 0)
            return true;
        if (length < sizeof packet)
            return fail(reading, "ends within packet %" PRIu32, index);
        if (!grow(netrace, &netrace->identities, index, 1, &netrace->identity_room, sizeof *netrace->identities) ||
            !add_packet(reading, packet) || !read_dependents(netrace, index, packet[NETRACE_PACKET_DEPENDENTS]))
            return false;
        netrace->identities[index] = (struct identity){(uint32_t)number(packet + NETRACE_PACKET_ID, 4), index};
    }
    return true;
}

static int by_id(const void *a, const void *b)
{
    const struct identity *first = a, *second = b;
    return first->id < second->id ? -1 : first->id > second->id;
}

static bool resolve_dependents(struct netrace *netrace)
{
    size_t count = netrace->reading->trace->count;
    if (count)
        qsort(netrace->identities, count, sizeof *netrace->identities, by_id);
    for (size_t i = 1; i < count; i++)
        if (netrace->identities[i].id == netrace->identities[i - 1].id)
            return fail(netrace->reading, "two packets have the id %" PRIu32, netrace->identities[i].id);
    for (size_t i = 0; i < netrace->awaiting_count; i++) {
        const struct awaiting *pair = &netrace->awaiting[i];
        struct identity wanted = {.id = pair->id};
        const struct identity *after = count ? bsearch(&wanted, netrace->identities, count, sizeof wanted, by_id)
                                             : NULL;
        if (after && after->packet <= pair->before)
            return fail(netrace->reading, "packet %" PRIu32 " waits for packet %" PRIu32 ", expected an earlier one",
                        after->packet, pair->before);
        if (after && !trace_add_dependency(netrace->reading, pair->before, after->packet))
            return fail(netrace->reading, "out of memory for its packets");
    }
    return true;
}

/* Cycles count from that of the first packet that is read. */
static void begin_at_zero(struct packet_trace *trace)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < trace->count; i++)
        first = trace->packets[i].clock < first ? trace->packets[i].clock : first;
    for (size_t i = 0; i < trace->count; i++)
        trace->packets[i].clock -= first;
}

bool netrace_read(struct trace_reading *reading)
{
    struct netrace netrace = {.reading = reading};
    bool good = read_header(reading) && read_packets(&netrace) && resolve_dependents(&netrace);
    if (good)
        begin_at_zero(reading->trace);
    free(netrace.identities);
    free(netrace.awaiting);
    return good;
}
