/* See engine.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine/engine.h"

#include "engine/site_functions.h"
#include "mesh/mesh_straps.h"

unsigned char engine_no_slot[8];

bool engine_is_quiet(const struct engine *engine)
{
    uint64_t sites = 0;
    for (unsigned i = 0; i < engine->active_words; i++)
        sites |= engine->active[i];
    return !sites && engine->on_cables == 0;
}

bool engine_never_rests(const struct engine *engine)
{
    return engine->mesh.board_links || engine->mesh.rest_clocks == 0;
}

uint64_t engine_next_event(const struct engine *engine)
{
    return engine_earlier(engine_earlier(engine->next_wake, engine->simulation.next_tick), engine->next_fault);
}

void engine_activate(struct engine *engine, const struct site *site)
{
    engine_add_if(engine->active, site->number, true);
    engine->last_busy = engine->now;
}

void engine_set_link_down(const struct site *site, unsigned link, bool down)
{
    uint32_t *mask = site->ports.link_down;
    if (mask)
        *mask = down ? *mask | 1u << link : *mask & ~(1u << link);
}

bool engine_notice_senders(struct engine *engine)
{
    bool any = false;
    for (unsigned i = 0; i < engine->operator_count; i++) {
        const struct site *site = engine->operators[i];
        if (site->in_reset || !ni_model_active(site->interface))
            continue;
        any = true;
        if (!engine_is_active(engine, site))
            engine_activate(engine, site);
    }
    return any;
}

uint64_t engine_clock_of(const struct engine *engine, uint32_t low)
{
    int32_t ahead = (int32_t)(low - (uint32_t)engine->now);
    return engine->now + (ahead > 0 ? (uint64_t)ahead : 0);
}

/* The bits of a byte, bit i as the lowest bit of byte i: a product has the byte in each place, a mask leaves one bit a
 * place, and that bit carries into the highest of its place. */
static uint64_t spread(uint64_t byte)
{
    uint64_t bits = byte * 0x0101010101010101u & 0x8040201008040201u;
    return (bits + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
}

static uint64_t events_at(uint64_t events, unsigned index)
{
    return events >> index & ((1u << EVENT_PORTS) - 1);
}

/* The recent counts of the ports from counter `first` on. */
static void settle_recent(struct event_counts *counts, unsigned first, uint64_t *recent)
{
    for (unsigned port = 0; port < EVENT_PORTS; port++)
        counts->counts[first + port] += (uint8_t)(*recent >> 8 * port);
    *recent = 0;
}

void engine_count_events(struct event_counts *counts, uint64_t events)
{
    uint64_t words_out = events_at(events, PR_COUNTER_WORDS_OUT), stalls = events_at(events, PR_COUNTER_STALLS);
    counts->words_out += spread(words_out);
    counts->stalls += spread(stalls);
    for (events ^= words_out << PR_COUNTER_WORDS_OUT | stalls << PR_COUNTER_STALLS; events; events &= events - 1)
        counts->counts[__builtin_ctzll(events)]++;
    if (++counts->clocks < EVENT_CLOCKS)
        return;
    settle_recent(counts, PR_COUNTER_WORDS_OUT, &counts->words_out);
    settle_recent(counts, PR_COUNTER_STALLS, &counts->stalls);
    counts->clocks = 0;
}

static uint32_t recent_count(uint64_t recent, unsigned first, unsigned index)
{
    return index - first < EVENT_PORTS ? (uint8_t)(recent >> 8 * (index - first)) : 0;
}

static uint32_t event_count(const struct event_counts *counts, unsigned index)
{
    return counts->counts[index] + recent_count(counts->words_out, PR_COUNTER_WORDS_OUT, index) +
           recent_count(counts->stalls, PR_COUNTER_STALLS, index);
}

uint32_t engine_fabric_counter(void *context, unsigned index)
{
    const struct site *site = context;
    return index < ENGINE_COUNTERS ? event_count(&site->events, index) : 0;
}

uint32_t engine_words_out(const struct engine *engine, const struct site *site, unsigned link)
{
    int counter = simulation_words_counter(&engine->mesh, site->number, link);
    return counter < 0 ? 0 : event_count(&site->events, (unsigned)counter);
}

void engine_catch_up(struct engine *engine, struct site *site)
{
    if (site->asleep_since == UINT64_MAX)
        return;
    for (uint64_t left = (engine->now - site->asleep_since) % engine->mesh.rest_clocks; left > 0; left--) {
        *site->ports.now = engine->now - left + 1;
        site->table->clock(site->model);
    }
    site->asleep_since = UINT64_MAX;
}

void engine_enter_reset(struct engine *engine, struct site *site)
{
    engine_catch_up(engine, site);
    for (unsigned l = 0; l < engine->links; l++)
        engine->words_before_resets += engine_words_out(engine, site, l);
    site->events = (struct event_counts){.clocks = 0};
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
    engine_catch_up(engine, site);
    site->in_reset = false;
    *site->ports.reset = 0;
    site->table->settle(site->model);
    site->events = (struct event_counts){.clocks = 0};
    site->functions->leave_reset(engine, site);
    engine_activate(engine, site);
}

void engine_request_reset(struct engine *engine, struct site *site)
{
    fault_extend(&site->hits->reset_until, engine->now, ENGINE_RESET_CLOCKS);
    engine->next_fault = engine->now;
    engine->reset_requested = true;
    engine_activate(engine, site);
}
