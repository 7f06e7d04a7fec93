/* See trace_builder.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "workload/trace_builder.h"

#include "support/run_memory.h"
#include "workload/traffic.h"

#include <inttypes.h>

static bool refuse(struct trace_reading *reading, const char *what, uint64_t number, const char *expected)
{
    snprintf(reading->reason, sizeof reading->reason, "%s %" PRIu64 ", expected %s", what, number, expected);
    return false;
}

/* Makes room for one more item. */
static bool grow(struct trace_reading *reading, void *array, size_t count, size_t *room, size_t item_size)
{
    void **items = array;
    if (count < *room)
        return true;
    size_t wanted = *room ? 2 * *room : 1024;
    void *grown = wanted <= UINT32_MAX ? run_memory_resize(*items, wanted * item_size) : NULL;
    if (!grown) {
        snprintf(reading->reason, sizeof reading->reason, "out of memory for its packets");
        return false;
    }
    *items = grown;
    *room = wanted;
    return true;
}

/* Has the mesh the site, and the site an operator? */
static bool may_send(const struct trace_reading *reading, uint64_t site)
{
    return site < (uint64_t)reading->mesh->sites && !mesh_is_switch(reading->mesh, (int)site);
}

bool trace_begin_packet(struct trace_reading *reading, uint64_t clock, uint64_t source)
{
    struct packet_trace *trace = reading->trace;
    if (!may_send(reading, source))
        return refuse(reading, "source", source, "the number of a site of this mesh");
    if (!grow(reading, &trace->packets, trace->count, &trace->room, sizeof *trace->packets))
        return false;
    trace->packets[trace->count++] = (struct trace_packet){
        .clock = clock, .source = (uint32_t)source, .first_target = (uint32_t)trace->target_count};
    return true;
}

bool trace_add_target(struct trace_reading *reading, uint64_t site)
{
    struct packet_trace *trace = reading->trace;
    struct trace_packet *packet = &trace->packets[trace->count - 1];
    if (!may_send(reading, site))
        return refuse(reading, "target", site, "the number of a site of this mesh");
    for (unsigned i = 0; i < packet->target_count; i++)
        if (trace->targets[packet->first_target + i] == site)
            return refuse(reading, "second target", site, "different targets");
    if (packet->target_count == TRAFFIC_MAX_TARGETS)
        return refuse(reading, "one target more than", TRAFFIC_MAX_TARGETS, "at most 256 targets");
    if (!grow(reading, &trace->targets, trace->target_count, &trace->target_room, sizeof *trace->targets))
        return false;
    trace->targets[trace->target_count++] = (uint32_t)site;
    packet->target_count++;
    if (packet->target_count > trace->most_targets)
        trace->most_targets = packet->target_count;
    return true;
}

bool trace_end_packet(struct trace_reading *reading, uint64_t data_words)
{
    struct packet_trace *trace = reading->trace;
    struct trace_packet *packet = &trace->packets[trace->count - 1];
    unsigned used = packet->target_count + TRAFFIC_HEADER_WORDS;
    if (used > reading->mesh->max_packet || data_words > reading->mesh->max_packet - used)
        return refuse(reading, "data words:", data_words, "at most max_packet of the .mesh file, less targets and 3");
    packet->data_words = (uint16_t)data_words;
    trace->words += used + packet->data_words + 1;
    return true;
}

bool trace_add_dependency(struct trace_reading *reading, uint64_t before, uint32_t after)
{
    struct packet_trace *trace = reading->trace;
    if (reading->options->independent)
        return true;
    if (before >= after)
        return refuse(reading, "wait for packet", before, "the number of an earlier packet");
    if (!grow(reading, &trace->dependencies, trace->dependency_count, &trace->dependency_room,
              sizeof *trace->dependencies))
        return false;
    trace->dependencies[trace->dependency_count++] = (struct trace_dependency){(uint32_t)before, after};
    return true;
}
