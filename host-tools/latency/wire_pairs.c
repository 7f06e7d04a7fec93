/* See wire_pairs.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/wire_pairs.h"

static struct wire_pair *find_pair(struct wires *wires, const struct wire_pair *of)
{
    for (unsigned i = 0; i < wires->pair_count; i++) {
        struct wire_pair *pair = &wires->pairs[i];
        if (pair->from == of->from && pair->to == of->to && pair->hops == of->hops &&
            pair->end_to_end == of->end_to_end)
            return pair;
    }
    if (wires->pair_count == PAIRS_MAX)
        return NULL;
    struct wire_pair *pair = &wires->pairs[wires->pair_count++];
    *pair = *of;
    return pair;
}

bool wires_jump_between(const struct wires *wires, double began, double ended)
{
    uint64_t kept = wires->jump_count < WIRE_JUMPS ? wires->jump_count : WIRE_JUMPS;
    for (uint64_t i = 0; i < kept; i++)
        if (wires->jumps[i].from < ended && wires->jumps[i].until > began)
            return true;
    return false;
}

static void follow_trend(struct wire_trend *trend, double time, double latency)
{
    trend->count++;
    trend->time += time;
    trend->time_squares += time * time;
    trend->latency += latency;
    trend->latency_squares += latency * latency;
    trend->products += time * latency;
}

void wire_pairs_add(struct wires *wires, struct wire_pair of, struct uncertain began, struct uncertain ended)
{
    struct wire_pair *pair = find_pair(wires, &of);
    if (!pair)
        return;
    if (wires_jump_between(wires, began.value, ended.value)) {
        wires->jumped++;
        return;
    }
    readings_add(&pair->readings, (struct uncertain){ended.value - began.value, ended.error + began.error});
    follow_trend(&pair->trend, began.value, ended.value - began.value);
}

double wires_bit(const struct wires *wires, unsigned board)
{
    return wires->rate * WIRES_CLOCKS_A_BIT / (double)wires->testbed->boards[board].link_hz;
}
