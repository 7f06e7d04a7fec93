/* See load_verdict.h. A packet that is over, delivered or given up, burdens its source no more: a source is behind by
 * what it has generated within the measurement less what was over.
 *
 * SPDX-License-Identifier: ISC
 */
#include "experiment/load_verdict.h"

#include "ranks/ranks.h"

/* Packets by which one source may be behind, and all of them on average, before that is saturation: queues of sources
 * that keep up are shorter, but for a load near the limit. More than DOUBTFUL leave the question open. */
enum { ONE_BEHIND = 32, ALL_BEHIND = 4, DOUBTFUL = 8, SHARE_UNITS = 1000000 };

static const double KEPT_UP = 0.95; /* share of the offered words; who accepts less is behind */

/* Of all sources. Sums and extremes are those of this rank until they are merged. */
struct sources {
    uint64_t active, behind_most;     /* packets, among sources that accept too little */
    uint64_t offered, accepted;       /* words */
    uint64_t least, greatest, shares; /* share accepted, in SHARE_UNITS; the sum of all shares */
};

static void look_at_source(struct sources *sources, struct scoreboard_acceptance source, double packet_words)
{
    if (!source.offered)
        return;
    uint64_t share = (uint64_t)source.accepted * SHARE_UNITS / source.offered;
    double behind = ((double)source.offered - source.accepted) / packet_words;
    sources->active++;
    sources->offered += source.offered;
    sources->accepted += source.accepted;
    sources->shares += share;
    sources->least = share < sources->least ? share : sources->least;
    sources->greatest = share > sources->greatest ? share : sources->greatest;
    if (source.accepted < KEPT_UP * source.offered && behind > (double)sources->behind_most)
        sources->behind_most = (uint64_t)behind;
}

static void merge(struct sources *sources)
{
    uint64_t sums[] = {sources->active, sources->offered, sources->accepted, sources->shares};
    ranks_sum(sums, sizeof sums / sizeof *sums);
    *sources = (struct sources){.active = sums[0],
                                .offered = sums[1],
                                .accepted = sums[2],
                                .shares = sums[3],
                                .behind_most = ranks_most(sources->behind_most),
                                .least = ranks_least(sources->least),
                                .greatest = ranks_most(sources->greatest)};
}

static struct sources look_at_sources(const struct experiment *experiment)
{
    struct sources sources = {.least = UINT64_MAX};
    double packet_words = traffic_mean_words(experiment->traffic);
    for (uint32_t source = 0; source < scoreboard_sources(experiment->scoreboard); source++)
        look_at_source(&sources, scoreboard_acceptance(experiment->scoreboard, source), packet_words);
    if (!experiment->recorded_by_all)
        merge(&sources);
    return sources;
}

static bool is_saturated(const struct experiment *experiment, const struct sources *sources)
{
    double behind = ((double)sources->offered - (double)sources->accepted) / traffic_mean_words(experiment->traffic);
    return sources->behind_most > ONE_BEHIND || ((double)sources->accepted < KEPT_UP * (double)sources->offered &&
                                                 behind > ALL_BEHIND * mesh_operators(experiment->mesh));
}

static struct steadiness_halves compare_halves(const struct experiment *experiment, struct steadiness *steadiness)
{
    uint64_t length = experiment->result->measured_clocks;
    steadiness_set_length(steadiness, length);
    if (!experiment->recorded_by_all) {
        ranks_sum(steadiness->count, STEADINESS_STEPS);
        ranks_sum(steadiness->sum, STEADINESS_STEPS);
    }
    return steadiness_halves(steadiness, length);
}

static void judge_steadiness(struct experiment *experiment, const struct sources *sources)
{
    struct scoreboard *scoreboard = experiment->scoreboard;
    experiment->result->halves = compare_halves(experiment, scoreboard_steadiness(scoreboard));
    /* The mean of two halves is half as uncertain as their difference. */
    experiment->result->completion_error =
        compare_halves(experiment, scoreboard_completion_steadiness(scoreboard)).error / 2;
    if (experiment->result->halves.verdict == STEADINESS_STEADY && sources->behind_most > DOUBTFUL)
        experiment->result->halves.verdict = STEADINESS_UNDECIDED;
}

static void note_shares(struct experiment_result *result, const struct sources *sources)
{
    if (!sources->active)
        return;
    result->source_share = (struct experiment_shares){
        .least = (double)sources->least / SHARE_UNITS,
        .mean = (double)sources->shares / SHARE_UNITS / (double)sources->active,
        .greatest = (double)sources->greatest / SHARE_UNITS,
    };
}

/* The square of what a source has by what each has on average. */
static uint64_t relative_square(uint64_t words, uint64_t all, uint64_t sources)
{
    double relative = all ? (double)words * (double)sources / (double)all : 0;
    return (uint64_t)(relative * relative * SHARE_UNITS);
}

static void note_fairness(struct experiment *experiment, const struct sources *sources)
{
    uint64_t squares[2] = {0, 0};
    for (uint32_t i = 0; i < scoreboard_sources(experiment->scoreboard); i++) {
        struct scoreboard_acceptance source = scoreboard_acceptance(experiment->scoreboard, i);
        if (!source.offered)
            continue;
        squares[0] += relative_square(source.offered, sources->offered, sources->active);
        squares[1] += relative_square(source.accepted, sources->accepted, sources->active);
    }
    if (!experiment->recorded_by_all)
        ranks_sum(squares, 2);
    double most = (double)sources->active * SHARE_UNITS;
    experiment->result->fairness = (struct experiment_fairness){squares[0] ? most / (double)squares[0] : 0,
                                                                squares[1] ? most / (double)squares[1] : 0};
}

void load_verdict(struct experiment *experiment)
{
    struct experiment_result *result = experiment->result;
    uint64_t end = result->clocks;
    if (experiment->generation_ended != UINT64_MAX && experiment->generation_ended - experiment->origin < end)
        end = experiment->generation_ended - experiment->origin;
    if (end <= result->warmup_clocks)
        return;
    result->measured_clocks = end - result->warmup_clocks;
    double node_clocks = (double)result->measured_clocks * mesh_operators(experiment->mesh);
    struct sources sources = look_at_sources(experiment);
    result->offered_load = (double)result->totals.generated_words / node_clocks;
    result->accepted_load = (double)result->totals.accepted_words / node_clocks;
    for (unsigned i = 0; i < TRAFFIC_CLASSES; i++) {
        result->class_offered[i] = (double)result->totals.class_generated_words[i] / node_clocks;
        result->class_accepted[i] = (double)result->totals.class_accepted_words[i] / node_clocks;
    }
    result->saturated = is_saturated(experiment, &sources);
    note_shares(result, &sources);
    note_fairness(experiment, &sources);
    judge_steadiness(experiment, &sources);
}
