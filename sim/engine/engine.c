/* See engine.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine/engine.h"

#include "engine/site_functions.h"
#include "model/mesh_straps.h"
#include "protocol.h"

unsigned char engine_no_slot[8];

bool engine_is_quiet(const struct engine *engine)
{
    uint64_t sites = 0;
    for (unsigned i = 0; i < engine->active_words; i++)
        sites |= engine->active[i];
    return !sites;
}

uint64_t engine_next_event(const struct engine *engine)
{
    return engine_earlier(engine_earlier(engine->next_wake, engine->next_tick), engine->next_fault);
}

void engine_activate(struct engine *engine, const struct site *site)
{
    engine_add(engine->active, site);
}

void engine_set_link_down(const struct site *site, unsigned link, bool down)
{
    uint32_t *mask = site->ports.link_down;
    if (mask)
        *mask = down ? *mask | 1u << link : *mask & ~(1u << link);
}

void engine_notice_senders(struct engine *engine)
{
    for (unsigned i = 0; i < engine->operator_count; i++) {
        const struct site *site = engine->operators[i];
        if (!engine_is_active(engine, site) && !site->in_reset && ni_model_active(site->interface))
            engine_activate(engine, site);
    }
}

uint64_t engine_clock_of(const struct engine *engine, uint32_t low)
{
    int32_t ahead = (int32_t)(low - (uint32_t)engine->now);
    return engine->now + (ahead > 0 ? (uint64_t)ahead : 0);
}

uint32_t engine_fabric_counter(void *context, unsigned index)
{
    const struct site *site = context;
    return index < ENGINE_COUNTERS ? site->counters[index] : 0;
}

void engine_enter_reset(struct engine *engine, struct site *site)
{
    for (unsigned l = 0; l < engine->links; l++)
        engine->words_before_resets += site->counters[PR_COUNTER_WORDS_OUT + 1 + l];
    memset(site->counters, 0, sizeof site->counters);
    site->in_reset = true;
    site->reset_begin = engine->now;
    site->epoch++;
    site->wake = UINT64_MAX;
    *site->ports.reset = 1;
    mesh_straps(&engine->mesh, site->number, site->epoch, site->ports.straps);
    site->functions->enter_reset(engine, site);
    engine_activate(engine, site);
}

void engine_leave_reset(struct engine *engine, struct site *site)
{
    site->in_reset = false;
    *site->ports.reset = 0;
    site->table->settle(site->model);
    memset(site->counters, 0, sizeof site->counters);
    site->functions->leave_reset(engine, site);
    engine_activate(engine, site);
}

bool engine_extend_fault(uint64_t *until, uint64_t now, uint64_t clocks)
{
    bool begins = *until == 0 || *until < now;
    uint64_t end = clocks && clocks < UINT64_MAX - now ? now + clocks : UINT64_MAX;
    if (end > *until)
        *until = end;
    return begins;
}

void engine_request_reset(struct engine *engine, struct site *site)
{
    engine_extend_fault(&site->reset_until, engine->now, ENGINE_RESET_CLOCKS);
    engine->next_fault = engine->now;
    engine->reset_requested = true;
    engine_activate(engine, site);
}
