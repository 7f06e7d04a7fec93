/* Saturation, two readings. Backlogged: every source is offered one word a clock, the most a site can send, and what
 * the mesh accepts is counted: data words of the packets delivered between the end of the warm-up and the last packet's
 * generation. Followed: the highest offered load, in words of all kinds and in steps of 1/64, at which the run does not
 * diverge: it is neither saturated nor known not to be steady. Nothing may be lost.
 *
 * SPDX-License-Identifier: ISC
 */
#include <inttypes.h>
#include <string.h>

#include "experiment/experiment.h"
#include "figures.h"

/* Reliable: pool and window of the node's image. Raw: more storage than anything needs, as nothing is sent again. */
enum { DATA_WORDS = 16, PACKETS_A_SITE = 500, POOL = 28, RAW_POOL = 4096, WINDOW = 8, SEED = 1, STEPS = 64 };

/* Runs at one load; the caller frees the result. Ends the program unless every packet arrived. (Beyond saturation a
 * source may have given up on one that did: its acknowledgement came too late.) */
static void run(const struct mesh_config *mesh, const struct figure_case *subject, enum traffic_pattern pattern,
                double load, struct experiment_result *result)
{
    struct experiment_options options = {.packets = (uint64_t)PACKETS_A_SITE * (unsigned)mesh->sites,
                                         .warmup = EXPERIMENT_AUTOMATIC,
                                         .pool = mesh->reliable ? POOL : RAW_POOL,
                                         .window = WINDOW,
                                         .traffic = {.pattern = pattern,
                                                     .load = load,
                                                     .burst = 1,
                                                     .length = DATA_WORDS,
                                                     .targets = 4,
                                                     .hot_share = 0.2,
                                                     .hot_site = (unsigned)(mesh->sites + mesh->size_x) / 2,
                                                     .seed = SEED}};
    experiment_run(mesh, &options, NULL, NULL, result);
    if (result->totals.completed != result->totals.packets)
        figures_die("saturation: %s, %s, %s, load %g: %s: %s", subject->mesh, subject->service, subject->what, load,
                    experiment_end_name(result->end), result->diagnosis);
}

/* By halving: a load above one that is not followed is not tried. */
static double load_followed(const struct mesh_config *mesh, const struct figure_case *subject,
                            enum traffic_pattern pattern)
{
    static struct experiment_result result;
    int followed = 0, missed = STEPS + 1;
    while (missed - followed > 1) {
        int middle = (followed + missed) / 2;
        run(mesh, subject, pattern, (double)middle / STEPS, &result);
        *(experiment_diverges(&result) ? &missed : &followed) = middle;
        experiment_result_free(&result);
    }
    return (double)followed / STEPS;
}

static void measure(const char *name, bool reliable, enum traffic_pattern pattern)
{
    static struct experiment_result result;
    const double share = DATA_WORDS / (double)(1 + TRAFFIC_HEADER_WORDS + DATA_WORDS + 1);
    struct mesh_config mesh;
    struct figure_case subject = {.part = "saturation"};
    figures_load(name, reliable, &mesh);
    snprintf(subject.mesh, sizeof subject.mesh, "%s", name);
    snprintf(subject.service, sizeof subject.service, "%s", service_name(reliable));
    snprintf(subject.what, sizeof subject.what, "%s", traffic_pattern_name(pattern));
    run(&mesh, &subject, pattern, 1, &result);
    figure_add(&subject, "backlogged: data words", result.accepted_load * share, 4);
    figure_add(&subject, "backlogged: all words", result.accepted_load, 4);
    figure_add(&subject, "link words a packet", (double)result.link_words / (double)result.totals.packets, 1);
    figure_add(&subject, "words lost", (double)result.lost, 0);
    experiment_result_free(&result);
    double followed = load_followed(&mesh, &subject, pattern);
    figure_add(&subject, "followed: data words", followed * share, 3);
    figure_add(&subject, "followed: all words", followed, 3);
}

void measure_saturation(bool quick)
{
    static const enum traffic_pattern patterns[] = {TRAFFIC_UNIFORM, TRAFFIC_TRANSPOSE, TRAFFIC_HOT_SPOT};
    static const char *const meshes[] = {"grid-4x4", "grid-8x8"};
    for (int mesh = 0; mesh < (quick ? 1 : 2); mesh++)
        for (int reliable = 0; reliable < 2; reliable++)
            for (int pattern = 0; pattern < (quick ? 1 : 3); pattern++)
                measure(meshes[mesh], reliable, patterns[pattern]);
}
