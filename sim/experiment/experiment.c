/* Runs one experiment: generates, lets the injector send, looks for progress, and finds out how it ended.
 *
 * SPDX-License-Identifier: ISC
 */
#include "experiment/experiment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "board/firmware_limits.h"
#include "experiment/experiment_faults.h"
#include "experiment/experiment_groups.h"
#include "experiment/load_verdict.h"
#include "experiment/replica.h"
#include "network_interface/ni_model.h"
#include "protocol.h"
#include "ranks/ranks.h"
#include "support/install_paths.h"
#include "support/run_memory.h"

enum {
    IMAGE_PATH_SIZE = 4096,
    WARMUP_MOST = 1000,
    SETTLE_CLOCKS = 1000000,    /* after the last delivery, until all is quiet */
    BARREN_FACTOR = 100,        /* so many times the clocks of a stall without a delivery is a hang too */
    LONGEST_TIME_OUT = 1 << 18, /* of the reliable service, jitter included, and to spare */
    LONGEST_SILENCE = 1 << 20   /* between two questions to a member of a group, and to spare */
};

const char *experiment_end_name(enum experiment_end end)
{
    static const char *const names[] = {"complete", "partial", "wrong", "locked up", "hung", "interrupted", "failed"};
    return names[end];
}

bool experiment_is_native(const struct mesh_config *mesh, const struct experiment_options *options)
{
    return !options->nodes || site_kinds_all(options->nodes, mesh->sites, SITE_NATIVE);
}

static double own_cpu_seconds(void)
{
    static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    double seconds = 0;
    for (int i = 0; i < 2; i++) {
        struct rusage usage;
        if (getrusage(whose[i], &usage) != 0)
            continue;
        seconds += (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
        seconds += (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6;
    }
    return seconds;
}

/* Of all ranks. */
static double cpu_seconds(void)
{
    uint64_t microseconds = (uint64_t)(own_cpu_seconds() * 1e6);
    ranks_sum(&microseconds, 1);
    return (double)microseconds / 1e6;
}

static uint64_t warmup(const struct experiment *experiment)
{
    const struct experiment_options *options = experiment->options;
    if (options->warmup >= 0)
        return (uint64_t)options->warmup;
    if (experiment->series)
        return 0;
    if (options->traffic.pattern == TRAFFIC_TRACE)
        return 0;
    double clocks = (double)options->packets * traffic_mean_words(experiment->traffic) /
                    (options->traffic.load * mesh_operators(experiment->mesh)) / 10;
    return clocks < WARMUP_MOST ? (uint64_t)clocks : WARMUP_MOST;
}

/* The image that was named, NAME.hex or NAME.elf, as cores (.hex) or QEMU (.elf) take it; NULL if none was. */
static const char *image(const char *named, const char *ending, char out[IMAGE_PATH_SIZE])
{
    const char *dot = named ? strrchr(named, '.') : NULL;
    if (!dot || (strcmp(dot, ".hex") != 0 && strcmp(dot, ".elf") != 0))
        return named;
    snprintf(out, IMAGE_PATH_SIZE, "%.*s%s", (int)(dot - named), named, ending);
    return out;
}

/* Whether sites that run an image are relays. An image that cannot be read is reported by the simulation. */
static bool image_relays(const struct mesh_config *mesh, const char *elf)
{
    char path[IMAGE_PATH_SIZE], error[IMAGE_PATH_SIZE];
    struct firmware_image firmware;
    bool relays;
    if (install_paths_image(elf, "firmware/node.elf", "build/firmware/node.elf", path, sizeof path, error,
                            sizeof error) != 0 ||
        firmware_image_read(&firmware, path, mesh->ram_bytes, error, sizeof error) != 0)
        return false;
    relays = firmware_relays(&firmware);
    firmware_image_free(&firmware);
    return relays;
}

/* Sites and members of groups. False: no memory. */
static bool prepare_sources(struct experiment *experiment)
{
    const struct traffic_options *options = &experiment->options->traffic;
    struct site_list *waiting = &experiment->waiting;
    unsigned members;
    const uint16_t *sites = traffic_members(experiment->traffic, &members);
    if (members && scoreboard_add_groups(experiment->scoreboard, sites, members, options->members,
                                         pr_group_shape_orders(options->shape)) != 0)
        return false;
    waiting->sites = run_memory_allocate(scoreboard_sources(experiment->scoreboard), sizeof *waiting->sites);
    waiting->member = run_memory_allocate(scoreboard_sources(experiment->scoreboard), sizeof *waiting->member);
    return waiting->sites && waiting->member;
}

static bool set_up(struct experiment *experiment)
{
    const struct experiment_options *options = experiment->options;
    char hex[IMAGE_PATH_SIZE], elf[IMAGE_PATH_SIZE];
    struct experiment_result *result = experiment->result;
    size_t sites = (size_t)experiment->mesh->sites;
    struct simulation_options simulation = {
        .engine = options->engine,
        .model = options->model,
        .mesh = experiment->mesh,
        .pool = options->pool,
        .window = options->window,
        .seed = options->traffic.seed,
        .stall = options->stall,
        .clocks = options->clocks,
        .repeated_unicasts = options->repeated_unicasts,
        .relays = options->relays,
        .image_relays = options->relays && options->nodes &&
                        image_relays(experiment->mesh, image(options->firmware, ".elf", elf)),
        .groups = options->traffic.groups > 0,
        .console_free = true,
        .faults = options->faults,
        .fault_count = options->fault_count,
        .waves = options->waves,
        .capture = options->capture,
        .testbed = options->testbed,
        .firmware_hex = image(options->firmware, ".hex", hex),
        .firmware_elf = image(options->firmware, ".elf", elf),
        .nodes = options->nodes,
        .quantum = options->quantum,
        .stop = options->stop};
    experiment->traffic = traffic_create(experiment->mesh, &options->traffic, result->diagnosis,
                                         sizeof result->diagnosis);
    if (!experiment->traffic)
        return false;
    result->warmup_clocks = warmup(experiment);
    result->bounds = load_bounds(experiment->mesh, options, experiment->traffic,
                                 experiment_is_native(experiment->mesh, options));
    experiment->scoreboard = scoreboard_create(experiment->mesh, options->traffic.seed,
                                               traffic_most_targets(experiment->traffic));
    result->link_use = run_memory_allocate(sites * (size_t)experiment->mesh->links, sizeof *result->link_use);
    result->frames = options->recorded
                         ? run_memory_allocate(1, experiment_frames_size(sites * (size_t)experiment->mesh->links))
                         : NULL;
    snprintf(result->diagnosis, sizeof result->diagnosis, "out of memory");
    if ((options->recorded && !result->frames) || !experiment->scoreboard || !prepare_sources(experiment) ||
        !result->link_use || (options->ordered && scoreboard_check_order(experiment->scoreboard) != 0) ||
        scoreboard_add_classes(experiment->scoreboard, options->traffic.class_count) != 0)
        return false;
    if (experiment->series)
        scoreboard_set_series(experiment->scoreboard, experiment->series);
    if (options->slices && !(result->slices = run_memory_allocate(1, sizeof *result->slices)))
        return false;
    scoreboard_set_slices(experiment->scoreboard, result->slices);
    experiment->simulation = simulation_create(&simulation, result->diagnosis, sizeof result->diagnosis);
    if (!experiment->simulation || (options->fault_count && !experiment_faults_start(experiment)) ||
        !experiment->injector->start(experiment))
        return false;
    result->diagnosis[0] = 0;
    if (options->traffic.pattern == TRAFFIC_TRACE)
        scoreboard_on_over(experiment->scoreboard, experiment_packet_over, experiment);
    experiment->recorded_by_all = ranks_count() == 1 || options->traffic.pattern == TRAFFIC_TRACE;
    experiment->origin = simulation_clock(experiment->simulation);
    if (result->slices)
        result->slices->origin = experiment->origin;
    experiment_set_window(experiment, UINT64_MAX);
    return true;
}

/* Nothing more will come of the packets generated so far. */
static bool all_accounted(const struct experiment *experiment)
{
    const struct scoreboard_totals *totals = &experiment->totals;
    return totals->finished + totals->abandoned == totals->packets;
}

static bool all_arrived(const struct experiment *experiment)
{
    return experiment->generation_ended != UINT64_MAX && all_accounted(experiment);
}

/* Everything that only changes when something happens. */
static uint64_t movement(const struct experiment *experiment)
{
    const struct scoreboard_totals *totals = &experiment->totals;
    return simulation_link_words(experiment->simulation) + totals->packets + totals->accepted + totals->deliveries +
           totals->finished + totals->failed + totals->duplicated + totals->stray;
}

/* An operator may have as many packets before it as its network_interface holds. */
static uint64_t operator_patience(const struct operator_clocks *clocks)
{
    return ((uint64_t)clocks->receive + clocks->send + clocks->handler) * NATIVE_INTERFACE_RING;
}

/* Until a blocked head may divert or a split site aborts, nothing may move; four times that is a stall. */
static void stall_detector_start(struct stall_detector *detector, const struct experiment *experiment)
{
    const struct mesh_config *mesh = experiment->mesh;
    const struct experiment_options *options = experiment->options;
    bool slow_core = strcmp(mesh->cpu, "serv") == 0;
    *detector = (struct stall_detector){
        .limit = 4 * (mesh_longest_wait(mesh) + 1024) + (mesh->reliable ? LONGEST_TIME_OUT : 0) +
                 (options->traffic.groups ? LONGEST_SILENCE : 0) +
                 experiment->injector->patience * (slow_core ? 10 : 1) + operator_patience(&options->clocks)};
    for (unsigned i = 0; i < options->fault_count; i++)
        detector->limit += options->faults[i].clocks;
}

/* True when the run has stalled. Silence between two packets of a light load is no stall. */
static bool stall_detector_stalled(struct stall_detector *detector, const struct experiment *experiment)
{
    uint64_t now = simulation_clock(experiment->simulation), moved = movement(experiment);
    const struct scoreboard_totals *totals = &experiment->totals;
    if (moved != detector->movement || all_accounted(experiment)) {
        detector->movement = moved;
        detector->moved_at = now;
    }
    if (totals->deliveries + totals->finished != detector->deliveries || all_accounted(experiment)) {
        detector->deliveries = totals->deliveries + totals->finished;
        detector->delivered_at = now;
    }
    return now - detector->moved_at > detector->limit || now - detector->delivered_at > BARREN_FACTOR * detector->limit;
}

/* Of what each rank has found: how many of all, and the last one. */
static int merge_starved(int starved, int *example)
{
    uint64_t sum = (uint64_t)starved;
    uint64_t beyond = ranks_least(starved ? UINT64_MAX - (uint64_t)*example : UINT64_MAX);
    ranks_sum(&sum, 1);
    *example = (int)(UINT64_MAX - beyond);
    return (int)sum;
}

/* Sites at which a word waits in every clock because no receive buffer is posted. */
static int count_starved(struct experiment *experiment, int *example)
{
    enum { LOOK = 64 };
    int sites = experiment->mesh->sites, starved = 0;
    uint32_t *before = calloc((size_t)sites, sizeof *before);
    if (!before)
        return 0;
    for (int site = 0; site < sites; site++)
        before[site] = simulation_counter(experiment->simulation, (unsigned)site, PR_COUNTER_RECEIVE_WAITS);
    simulation_run(experiment->simulation, LOOK);
    for (int site = 0; site < sites; site++) {
        uint32_t after = simulation_counter(experiment->simulation, (unsigned)site, PR_COUNTER_RECEIVE_WAITS);
        if (after - before[site] == LOOK) {
            starved++;
            *example = site;
        }
    }
    free(before);
    return merge_starved(starved, example);
}

/* The oldest packet in transit, of those of all ranks. */
static void describe_outstanding(const struct experiment *experiment, char *text, size_t size)
{
    uint64_t number = scoreboard_describe_outstanding(experiment->scoreboard, text, (int)size);
    ranks_first_text(number, text, size);
}

/* Nothing moves any more: why? */
static enum experiment_end diagnose_stall(struct experiment *experiment, const struct stall_detector *detector)
{
    char oldest[200];
    int example = 0, starved = experiment->mesh->reliable ? 0 : count_starved(experiment, &example);
    struct experiment_result *result = experiment->result;
    unsigned long long clock = simulation_clock(experiment->simulation);
    if (simulation_idle(experiment->simulation))
        return END_WRONG;
    describe_outstanding(experiment, oldest, sizeof oldest);
    if (starved) {
        snprintf(result->diagnosis, sizeof result->diagnosis,
                 "storage is locked up since clock %llu: %d of %d sites "
                 "(site %d is one) have no buffer left for a packet that waits to enter; %s",
                 (unsigned long long)detector->moved_at, starved, experiment->mesh->sites, example, oldest);
        return END_LOCKED_UP;
    }
    snprintf(result->diagnosis, sizeof result->diagnosis,
             "hang in clock %llu: last movement in clock %llu, last "
             "delivery in clock %llu, though buffers are free; %s",
             clock, (unsigned long long)detector->moved_at, (unsigned long long)detector->delivered_at, oldest);
    return END_HUNG;
}

/* Each rank has recorded packets of its own. */
static void merge_totals(struct experiment *experiment)
{
    struct scoreboard_totals *totals = &experiment->totals;
    *totals = *scoreboard_totals(experiment->scoreboard);
    if (!experiment->recorded_by_all)
        ranks_sum(&totals->packets, sizeof *totals / sizeof totals->packets);
    totals->longest_silence = ranks_most(scoreboard_totals(experiment->scoreboard)->longest_silence);
}

static void tell(const struct experiment *experiment, experiment_report *report, void *context, const char *event)
{
    const struct scoreboard_totals *totals = &experiment->totals;
    struct experiment_progress progress = {.clock = simulation_clock(experiment->simulation),
                                           .packets = totals->packets,
                                           .delivered = totals->deliveries,
                                           .expected = totals->expected,
                                           .event = experiment->series ? NULL : event};
    if (report)
        report(context, &progress);
}

/* True when no packet can arrive any more though some have not: everything is quiet and no source has
 * anything. */
static bool gone_quiet(const struct experiment *experiment)
{
    const struct scoreboard_totals *totals = &experiment->totals;
    return experiment->generation_ended != UINT64_MAX && totals->accepted + totals->abandoned == totals->packets &&
           simulation_idle(experiment->simulation) && simulation_next_wake(experiment->simulation) == UINT64_MAX &&
           (!experiment->health || !experiment_faults_pause(experiment)) &&
           (!experiment->injector->settled || experiment->injector->settled(experiment));
}

/* Runs one stretch; a quiet mesh goes straight to whatever happens next. Packets that wait for room in an operator
 * change nothing, but those that wait for an injector's next step do. */
static void run_stretch(struct experiment *experiment)
{
    uint64_t now = simulation_clock(experiment->simulation), clocks = experiment->injector->chunk;
    if ((experiment->waiting.count == 0 || !experiment->injector->step) && simulation_idle(experiment->simulation)) {
        uint64_t next = simulation_next_wake(experiment->simulation);
        if (experiment_next_packet(experiment) < next)
            next = experiment_next_packet(experiment);
        if (next != UINT64_MAX && next > now + clocks)
            clocks = next - now;
    }
    experiment_advance(experiment, clocks);
    if (experiment->injector->step)
        experiment->injector->step(experiment);
    if (experiment->health)
        experiment_faults_look(experiment);
    if (experiment->result->frames)
        experiment_record(experiment, false);
}

/* The run's caller may end it here. */
static bool ends_early(struct experiment *experiment)
{
    const struct experiment_options *options = experiment->options;
    return (options->between && options->between(experiment)) || experiment_is_stopped(experiment);
}

static enum experiment_end run_to_the_end(struct experiment *experiment, experiment_report *report, void *context)
{
    struct stall_detector *detector = &experiment->stall_detector;
    while (!all_arrived(experiment)) {
        run_stretch(experiment);
        merge_totals(experiment);
        if (experiment->failed)
            return experiment->result->end;
        if (!all_arrived(experiment) && gone_quiet(experiment))
            return END_WRONG;
        if (stall_detector_stalled(detector, experiment)) {
            if (!experiment_faults_end_pauses(experiment))
                return diagnose_stall(experiment, detector);
            stall_detector_start(detector, experiment);
        }
        bool ended = experiment->generation_ended != UINT64_MAX && !experiment->told_draining;
        tell(experiment, report, context, ended ? "all packets generated, draining" : NULL);
        experiment->told_draining |= ended;
        if (ends_early(experiment))
            return END_INTERRUPTED;
    }
    return END_COMPLETE;
}

/* What comes after the last delivery (copies that are thrown away, or a duplicate) must come to an end as
 * well. */
static enum experiment_end settle(struct experiment *experiment)
{
    uint64_t limit = simulation_clock(experiment->simulation) + SETTLE_CLOCKS;
    while (!simulation_idle(experiment->simulation) && !experiment->failed) {
        if (experiment_is_stopped(experiment))
            return END_INTERRUPTED;
        if (simulation_clock(experiment->simulation) > limit)
            experiment_fail(experiment, "every packet is accounted for, but the mesh does not become quiet");
        experiment_advance(experiment, experiment->injector->chunk);
        if (experiment->injector->step)
            experiment->injector->step(experiment);
    }
    return experiment->failed ? END_HUNG : END_COMPLETE;
}

/* Each rank has counted at its own sites. */
static void merge_counters(struct experiment *experiment)
{
    struct experiment_result *result = experiment->result;
    size_t links = (size_t)experiment->mesh->sites * (size_t)experiment->mesh->links;
    ranks_sum(result->counters, EXPERIMENT_COUNTERS);
    ranks_sum32(result->link_use, links);
}

static void read_counters(struct experiment *experiment)
{
    struct experiment_result *result = experiment->result;
    result->clocks = simulation_clock(experiment->simulation) - experiment->origin;
    result->link_words = simulation_link_words(experiment->simulation);
    if (result->frames)
        experiment_record(experiment, true);
    simulation_fault_counts(experiment->simulation, &result->faults);
    for (int site = 0; site < experiment->mesh->sites; site++)
        if (!experiment->health || !experiment->health[site].in_reset)
            experiment_collect(experiment, (uint32_t)site);
    experiment->injector->finish(experiment);
    merge_counters(experiment);
}

/* Every packet has arrived, and no source thinks otherwise, or was reset before it could know. */
static bool all_confirmed(const struct scoreboard_totals *totals)
{
    return totals->completed == totals->packets && !totals->failed && !totals->written_off;
}

/* Nothing is lost, but not everything arrived, or not every source knows it. */
static void describe_partial(struct experiment_result *result)
{
    const struct scoreboard_totals *totals = &result->totals;
    int used = snprintf(result->diagnosis, sizeof result->diagnosis,
                        "%llu deliveries reported as failed (%llu of which came), %llu written off with their source, "
                        "%llu packets not accepted by operators that stopped",
                        (unsigned long long)totals->failed, (unsigned long long)totals->failed_delivered,
                        (unsigned long long)totals->written_off, (unsigned long long)totals->abandoned);
    if (result->endless_pauses)
        snprintf(result->diagnosis + used, sizeof result->diagnosis - (size_t)used,
                 "; %u sites taken for stopped, as their pauses overlapped until nothing moved",
                 result->endless_pauses);
}

/* The values of all ranks together. */
static void merge_statistics(struct statistics *statistics)
{
    statistics->min = ranks_least(statistics->count ? statistics->min : UINT64_MAX);
    statistics->max = ranks_most(statistics->max);
    ranks_sum(&statistics->count, 1);
    if (!statistics->count)
        statistics->min = 0;
    ranks_sum(&statistics->sum, 1);
    ranks_sum(statistics->bins, STATISTICS_BINS);
}

/* The scoreboard has no further use of its histograms. */
static void take_statistics(struct experiment *experiment)
{
    struct experiment_result *result = experiment->result;
    struct scoreboard *scoreboard = experiment->scoreboard;
    struct statistics *const histograms[] = {EXPERIMENT_HISTOGRAMS(result)};
    statistics_move(&result->latency, scoreboard_latency(scoreboard));
    statistics_move(&result->unicast_latency, scoreboard_unicast_latency(scoreboard));
    statistics_move(&result->multicast_latency, scoreboard_multicast_latency(scoreboard));
    statistics_move(&result->network_latency, scoreboard_network_latency(scoreboard));
    statistics_move(&result->settling, scoreboard_settling(scoreboard));
    statistics_move(&result->completion, scoreboard_completion(scoreboard));
    statistics_move(&result->group_latency, scoreboard_group_latency(scoreboard));
    statistics_move(&result->group_completion, scoreboard_group_completion(scoreboard));
    for (unsigned i = 0; i < experiment->options->traffic.class_count; i++)
        statistics_move(&result->class_latency[i], scoreboard_class_latency(scoreboard, i));
    for (size_t i = 0; i < sizeof histograms / sizeof *histograms && !experiment->recorded_by_all; i++)
        if (histograms[i]->bins)
            merge_statistics(histograms[i]);
}

/* Their length follows from that of the run. */
static void end_slices(struct experiment *experiment)
{
    struct time_slices *slices = experiment->result->slices;
    if (!slices)
        return;
    time_slices_end(slices, experiment->result->clocks);
    for (unsigned i = 0; i < TIME_SLICES && !experiment->recorded_by_all; i++)
        ranks_sum(&slices->slices[i].words, sizeof slices->slices[i] / sizeof slices->slices[i].words);
}

static void count_lost(struct experiment *experiment, enum experiment_end end)
{
    struct experiment_result *result = experiment->result;
    uint64_t counts[] = {scoreboard_lost(experiment->scoreboard),
                         end == END_INTERRUPTED ? scoreboard_in_flight(experiment->scoreboard) : 0};
    if (!experiment->recorded_by_all)
        ranks_sum(counts, 2);
    result->in_flight = counts[1];
    result->lost = counts[0] - counts[1];
}

/* The first complaint of all ranks becomes the diagnosis, if there is any. */
static bool find_complaint(struct experiment *experiment)
{
    const struct scoreboard *scoreboard = experiment->scoreboard;
    char text[SCOREBOARD_COMPLAINT_SIZE];
    memcpy(text, scoreboard_complaint(scoreboard), sizeof text);
    if (ranks_first_text(scoreboard_complaint_place(scoreboard), text, sizeof text) == UINT64_MAX)
        return false;
    snprintf(experiment->result->diagnosis, sizeof experiment->result->diagnosis, "%s", text);
    return true;
}

/* Everything the scoreboard knows goes into the result; a wrong delivery outweighs a run that ended well. */
static void conclude(struct experiment *experiment, enum experiment_end end)
{
    struct experiment_result *result = experiment->result;
    read_counters(experiment);
    scoreboard_conclude(experiment->scoreboard, simulation_clock(experiment->simulation));
    merge_totals(experiment);
    result->totals = experiment->totals;
    count_lost(experiment, end);
    if (find_complaint(experiment)) {
        end = END_WRONG;
    } else if (end == END_WRONG && !result->diagnosis[0]) {
        int used = snprintf(
            result->diagnosis, sizeof result->diagnosis,
            "all is quiet, %llu deliveries have not come and %llu packets were not accepted; ",
            (unsigned long long)result->lost,
            (unsigned long long)(result->totals.packets - result->totals.accepted - result->totals.abandoned));
        describe_outstanding(experiment, result->diagnosis + used, sizeof result->diagnosis - (size_t)used);
    } else if (end == END_COMPLETE && !all_confirmed(&result->totals)) {
        end = END_PARTIAL;
        describe_partial(result);
    }
    result->end = end;
    load_verdict(experiment);
    take_statistics(experiment);
    end_slices(experiment);
}

/* What the ranks have exchanged, and how evenly they have worked. */
static void tell_volume(const struct experiment *experiment, double started, experiment_report *report, void *context)
{
    char text[300];
    if (ranks_count() == 1)
        return;
    struct ranks_volume volume = ranks_take_volume();
    double busy = own_cpu_seconds() - started - (double)volume.nanoseconds / 1e9;
    uint64_t busiest = ranks_most((uint64_t)(busy * 1e6));
    ranks_sum(&volume.exchanges, sizeof volume / sizeof volume.exchanges);
    snprintf(text, sizeof text,
             "%u ranks, %llu exchanges, %llu messages of %llu bytes, %llu of the fabric and %llu of deliveries, the "
             "busiest rank %.2f s beside %.2f s of all in exchanges",
             ranks_count(), (unsigned long long)volume.exchanges / ranks_count(), (unsigned long long)volume.messages,
             (unsigned long long)volume.bytes, (unsigned long long)volume.crossing_bytes,
             (unsigned long long)volume.record_bytes, (double)busiest / 1e6, (double)volume.nanoseconds / 1e9);
    tell(experiment, report, context, text);
}

static void tear_down(struct experiment *experiment)
{
    experiment->injector->stop(experiment);
    if (experiment->simulation) {
        struct experiment_result *result = experiment->result;
        result->waves_error = simulation_end_waves(experiment->simulation);
        simulation_end_capture(experiment->simulation, result->capture_error, sizeof result->capture_error);
    }
    simulation_destroy(experiment->simulation);
    traffic_free(experiment->traffic);
    scoreboard_free(experiment->scoreboard);
    run_memory_free(experiment->waiting.sites);
    run_memory_free(experiment->waiting.member);
    run_memory_free(experiment->health);
}

uint64_t experiment_clock(const struct experiment *experiment)
{
    return simulation_clock(experiment->simulation);
}

double experiment_seconds_spent(const struct experiment *experiment)
{
    return cpu_seconds() - experiment->started;
}

void experiment_restored(struct mesh_config *mesh, struct experiment_options *options)
{
    const struct experiment *experiment = run_memory_root();
    *mesh = experiment->mesh_copy;
    *options = experiment->options_copy;
}

static struct experiment *create(const struct mesh_config *mesh, const struct experiment_options *options)
{
    struct experiment *experiment = run_memory_allocate(1, sizeof *experiment);
    if (!experiment)
        abort();
    experiment->mesh_copy = *mesh;
    experiment->options_copy = *options;
    experiment->mesh = &experiment->mesh_copy;
    experiment->options = &experiment->options_copy;
    experiment->result = &experiment->result_copy;
    experiment->result->end = END_FAILED;
    experiment->generation_ended = UINT64_MAX;
    experiment->injector = experiment_is_native(mesh, options) ? &injector_native : &injector_console;
    run_memory_set_root(experiment);
    return experiment;
}

/* The run that is in run memory goes on. */
static struct experiment *take_up(const struct experiment_options *options)
{
    struct experiment *experiment = run_memory_root();
    experiment->options_copy.stop = options->stop;
    experiment->options_copy.between = options->between;
    replica_start(experiment);
    return experiment;
}

static void begin(struct experiment *experiment)
{
    experiment->result->ran = ranks_least(set_up(experiment));
    if (experiment->result->ran)
        stall_detector_start(&experiment->stall_detector, experiment);
    else if (experiment_is_stopped(experiment))
        experiment->result->end = END_INTERRUPTED;
}

static void go_on(struct experiment *experiment, experiment_report *report, void *context)
{
    enum experiment_end end = run_to_the_end(experiment, report, context);
    if (end == END_COMPLETE)
        end = settle(experiment);
    conclude(experiment, end);
    tell(experiment, report, context, experiment_end_name(experiment->result->end));
}

static void run(struct experiment *experiment, const struct experiment_options *options, experiment_report *report,
                void *context, struct experiment_result *result)
{
    if (!options->restored)
        begin(experiment);
    double own_started = own_cpu_seconds(); /* the run's alone: to begin may have meant a compiler */
    experiment->started = cpu_seconds() - options->seconds_spent;
    if (experiment->result->ran) {
        tell(experiment, report, context, options->restored ? "restored" : "started");
        go_on(experiment, report, context);
        tell_volume(experiment, own_started, report, context);
    }
    tear_down(experiment);
    experiment->result->cpu_seconds = experiment_seconds_spent(experiment);
    *result = *experiment->result;
    run_memory_free(experiment);
}

/* Each rank has added its own deliveries. */
static struct warm_up find_warm_up(struct warm_up_series *series, bool recorded_by_all)
{
    if (!recorded_by_all) {
        ranks_sum(series->count, WARM_UP_BATCHES);
        ranks_sum(series->sum, WARM_UP_BATCHES);
    }
    return warm_up_find(series);
}

/* The same run without a warm-up finds where it should end. False: it did not come to its end, and is the result. */
static bool search_warm_up(const struct mesh_config *mesh, struct experiment_options *options,
                           experiment_report *report, void *context, struct experiment_result *result)
{
    struct experiment_options searching = *options;
    struct warm_up_series *series = run_memory_allocate(1, sizeof *series);
    searching.waves = searching.capture = NULL;
    searching.recorded = false;
    searching.slices = false;
    struct experiment *experiment = create(mesh, &searching);
    if (!series)
        abort();
    warm_up_begin(series, options->packets);
    experiment->series = series;
    run(experiment, &searching, report, context, result);
    bool recorded_by_all = ranks_count() == 1 || options->traffic.pattern == TRAFFIC_TRACE;
    struct warm_up warm_up = find_warm_up(series, recorded_by_all);
    run_memory_free(series);
    result->warmup_searched = true;
    result->warmup_found = warm_up.found;
    options->warmup = (int64_t)warm_up.clock;
    options->seconds_spent = result->cpu_seconds;
    return result->end == END_COMPLETE || result->end == END_PARTIAL;
}

/* The latencies of a run whose transient has no end are not those of a steady mesh. */
static void note_search(struct experiment_result *result, bool found)
{
    result->warmup_searched = true;
    result->warmup_found = found;
    if (!found && result->halves.verdict == STEADINESS_STEADY)
        result->halves.verdict = STEADINESS_UNDECIDED;
}

void experiment_run(const struct mesh_config *mesh, const struct experiment_options *options, experiment_report *report,
                    void *context, struct experiment_result *result)
{
    struct experiment_options measuring = *options;
    bool searched = options->warmup == EXPERIMENT_SEARCHED && !options->restored, found = false;
    if (searched) {
        if (!search_warm_up(mesh, &measuring, report, context, result))
            return;
        found = result->warmup_found;
        experiment_result_free(result);
    }
    run(options->restored ? take_up(options) : create(mesh, &measuring), &measuring, report, context, result);
    if (searched)
        note_search(result, found);
}

void experiment_result_free(struct experiment_result *result)
{
    struct statistics *const histograms[] = {EXPERIMENT_HISTOGRAMS(result)};
    for (size_t i = 0; i < sizeof histograms / sizeof *histograms; i++)
        statistics_free(histograms[i]);
    run_memory_free(result->link_use);
    run_memory_free(result->frames);
    run_memory_free(result->slices);
    result->link_use = NULL;
    result->frames = NULL;
    result->slices = NULL;
}
