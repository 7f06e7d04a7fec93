/* What faults do to an experiment's accounting: sites that are reset, and operators that stop for good.
 *
 * SPDX-License-Identifier: ISC
 */

#include "experiment/experiment_faults.h"
#include "support/run_memory.h"

static void on_reset(void *context, struct simulation *simulation, unsigned site, bool running)
{
    struct experiment *experiment = context;
    struct site_health *health = &experiment->health[site];
    uint64_t now = simulation_clock(simulation);
    if (running) {
        *health = (struct site_health){.epoch = health->epoch};
        if (scoreboard_waiting(experiment->scoreboard, site) != SCOREBOARD_NONE)
            experiment_add_waiting(experiment, site);
    } else {
        experiment_collect(experiment, site);
        health->in_reset = true;
        if (scoreboard_restart(experiment->scoreboard, site, now, ++health->epoch) != 0)
            experiment_fail(experiment, "out of memory for the packets after a reset");
    }
    experiment->injector->reset(experiment, site, running);
}

bool experiment_faults_start(struct experiment *experiment)
{
    size_t sites = (size_t)experiment->mesh->sites;
    experiment->health = run_memory_allocate(sites, sizeof *experiment->health);
    if (!experiment->health)
        return false;
    simulation_set_reset_hook(experiment->simulation, on_reset, experiment);
    return true;
}

/* The site will never take a packet again. */
static void give_up(struct experiment *experiment, uint32_t site, uint64_t now)
{
    struct site_list *waiting = &experiment->waiting;
    experiment->health[site].stopped = true;
    scoreboard_stop(experiment->scoreboard, site, now);
    for (uint32_t i = 0; i < waiting->count; i++)
        if (waiting->sites[i] == site)
            site_list_remove(waiting, i--);
}

bool experiment_faults_pause(const struct experiment *experiment)
{
    for (uint32_t site = 0; site < (uint32_t)experiment->mesh->sites; site++)
        if (!experiment->health[site].stopped && !simulation_running(experiment->simulation, site))
            return true;
    return false;
}

void experiment_faults_look(struct experiment *experiment)
{
    uint64_t now = simulation_clock(experiment->simulation);
    for (uint32_t site = 0; site < (uint32_t)experiment->mesh->sites; site++) {
        const struct site_health *health = &experiment->health[site];
        if (!health->in_reset && !health->stopped && simulation_stopped(experiment->simulation, site))
            give_up(experiment, site, now);
    }
}

bool experiment_faults_end_pauses(struct experiment *experiment)
{
    unsigned ended = experiment->health ? simulation_end_pauses(experiment->simulation) : 0;
    experiment->result->endless_pauses += ended;
    if (ended)
        experiment_faults_look(experiment);
    return ended;
}
