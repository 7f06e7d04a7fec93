/* See experiment_state.h: what the run, its faults and both injectors do to the state they share.
 *
 * SPDX-License-Identifier: ISC
 */
#include "experiment/experiment_state.h"

#include <stdarg.h>
#include <stdio.h>

#include "experiment/shared_event.h"
#include "ranks/ranks.h"

void experiment_fail(struct experiment *experiment, const char *format, ...)
{
    va_list arguments;
    if (experiment->failed)
        return;
    experiment->failed = true;
    va_start(arguments, format);
    vsnprintf(experiment->result->diagnosis, sizeof experiment->result->diagnosis, format, arguments);
    va_end(arguments);
    shared_event_fail(experiment->result->diagnosis);
}

void experiment_advance(struct experiment *experiment, uint64_t clocks)
{
    unsigned slowest = 0;
    if (simulation_run(experiment->simulation, clocks) || experiment_is_stopped(experiment))
        return;
    for (unsigned site = 1; site < (unsigned)experiment->mesh->sites; site++)
        if (simulation_slice_seconds(experiment->simulation, site) >
            simulation_slice_seconds(experiment->simulation, slowest))
            slowest = site;
    experiment_fail(experiment,
                    "site %u: its firmware hangs, or its QEMU: it has not come to rest for %.0f s, at clock %llu",
                    slowest, simulation_slice_seconds(experiment->simulation, slowest),
                    (unsigned long long)simulation_clock(experiment->simulation));
    experiment->result->end = END_HUNG;
}

void site_list_remove(struct site_list *list, uint32_t index)
{
    if (list->member)
        list->member[list->sites[index]] = false;
    list->sites[index] = list->sites[--list->count];
}

uint64_t experiment_next_packet(const struct experiment *experiment)
{
    uint64_t next = traffic_clock(experiment->traffic);
    return experiment->generation_ended == UINT64_MAX && next != UINT64_MAX ? experiment->origin + next : UINT64_MAX;
}

void experiment_packet_over(void *context, uint64_t number)
{
    struct experiment *experiment = context;
    uint64_t clock = simulation_clock(experiment->simulation);
    traffic_arrived(experiment->traffic, number, clock - experiment->origin);
    simulation_request_tick(experiment->simulation, experiment_next_packet(experiment));
}

void experiment_set_window(struct experiment *experiment, uint64_t end)
{
    struct scoreboard_window window = {experiment->origin + experiment->result->warmup_clocks, end};
    scoreboard_set_window(experiment->scoreboard, window);
}

void experiment_add_waiting(struct experiment *experiment, uint32_t source)
{
    struct site_list *waiting = &experiment->waiting;
    if (waiting->member[source])
        return;
    waiting->member[source] = true;
    waiting->sites[waiting->count++] = source;
}

bool experiment_records(const struct experiment *experiment, uint32_t source)
{
    return experiment->recorded_by_all || ranks_owns(source, (unsigned)experiment->mesh->sites);
}

/* Into its source's queue. False: no memory. */
static bool record(struct experiment *experiment, const struct traffic_packet *packet)
{
    if (experiment_records(experiment, packet->source))
        return scoreboard_generate(experiment->scoreboard, packet) == 0;
    scoreboard_pass(experiment->scoreboard);
    return true;
}

void experiment_generate(struct experiment *experiment, uint64_t clock)
{
    struct traffic_packet packet;
    while (experiment_next_packet(experiment) <= clock) {
        traffic_next(experiment->traffic, &packet);
        if (experiment->series)
            warm_up_generated(experiment->series, experiment->generated, packet.clock);
        packet.clock += experiment->origin;
        if (!record(experiment, &packet)) {
            experiment_fail(experiment, "out of memory for packets");
            return;
        }
        if (ranks_owns(packet.source, (unsigned)experiment->mesh->sites) &&
            (!experiment->health || !experiment->health[packet.source].stopped))
            experiment_add_waiting(experiment, packet.member ? (uint32_t)experiment->mesh->sites + packet.member - 1
                                                             : packet.source);
        if (++experiment->generated == experiment->options->packets) {
            experiment->generation_ended = packet.clock + 1;
            experiment_set_window(experiment, packet.clock + 1);
        }
    }
}

void experiment_collect(struct experiment *experiment, uint32_t site)
{
    struct experiment_result *result = experiment->result;
    uint32_t links = (uint32_t)experiment->mesh->links;
    uint32_t *use = result->link_use + site * links;
    for (unsigned index = 0; index < PR_COUNTER_DELIVERED; index++)
        result->counters[index] += simulation_counter(experiment->simulation, site, index);
    for (uint32_t link = 0; link < links; link++) {
        int counter = simulation_words_counter(experiment->mesh, site, link);
        if (counter >= 0)
            use[link] += simulation_counter(experiment->simulation, site, (unsigned)counter);
    }
}
