/* See wire_pairs.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/wire_pairs.h"
#include "support/or_abort.h"

#include <stdlib.h>

enum { PAIRS_MAX = 4096 };

void wire_pairs_begin(struct wire_pairs *pairs)
{
    *pairs = (struct wire_pairs){.pairs = or_abort(calloc(PAIRS_MAX, sizeof *pairs->pairs))};
}

void wire_pairs_free(struct wire_pairs *pairs)
{
    for (unsigned i = 0; i < pairs->count; i++)
        readings_free(&pairs->pairs[i].readings);
    free(pairs->pairs);
}

static struct wire_pair *find_pair(struct wire_pairs *pairs, const struct wire_pair *of)
{
    for (unsigned i = 0; i < pairs->count; i++) {
        struct wire_pair *pair = &pairs->pairs[i];
        if (pair->from == of->from && pair->to == of->to && pair->hops == of->hops &&
            pair->end_to_end == of->end_to_end)
            return pair;
    }
    if (pairs->count == PAIRS_MAX)
        return NULL;
    struct wire_pair *pair = &pairs->pairs[pairs->count++];
    *pair = *of;
    return pair;
}

void wire_pairs_jump(struct wire_pairs *pairs, uint64_t from, uint64_t until)
{
    struct wire_jumps *jumps = &pairs->jumps;
    if (jumps->count == 0)
        jumps->first = (double)from;
    jumps->kept[jumps->count % WIRE_JUMPS].from = (double)from;
    jumps->kept[jumps->count++ % WIRE_JUMPS].until = (double)until;
}

bool wire_pairs_jump_between(const struct wire_pairs *pairs, double began, double ended)
{
    const struct wire_jumps *jumps = &pairs->jumps;
    uint64_t kept = jumps->count < WIRE_JUMPS ? jumps->count : WIRE_JUMPS;
    for (uint64_t i = 0; i < kept; i++)
        if (jumps->kept[i].from < ended && jumps->kept[i].until > began)
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

void wire_pairs_add(struct wire_pairs *pairs, struct wire_pair of, struct uncertain began, struct uncertain ended)
{
    struct wire_pair *pair = find_pair(pairs, &of);
    if (!pair)
        return;
    if (wire_pairs_jump_between(pairs, began.value, ended.value)) {
        pairs->jumps.left_out++;
        return;
    }
    readings_add(&pair->readings, (struct uncertain){ended.value - began.value, ended.error + began.error});
    follow_trend(&pair->trend, began.value, ended.value - began.value);
}
