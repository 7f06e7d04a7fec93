/* See group_load.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "group_load.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "engine/rtl_engine.h"
#include "functional/functional_engine.h"
#include "support/install_paths.h"
#include "support/random.h"

enum {
    HANDLER = 9,
    POOL = 32,
    WINDOW = 8,
    CHUNK = 32,
    DRAIN_CLOCKS = 6000000,
    NUMBER_WORDS = 2,
    BATCHES = 10,
    QUEUE_MOST = 4096, /* packets of a member that wait to be taken */
    NUMBERS = 1024     /* of a member's packets; fewer are not settled */
};

struct message {
    uint64_t sent, last; /* clocks: generated, last delivery */
    uint64_t delivered, failed;
    uint16_t source, number;
    uint8_t group, view, since;
    bool taken, settled;
};

struct run;

struct member {
    struct run *run;
    struct pr_operator *op;
    unsigned site;
    bool lost[GROUP_LOAD_GROUPS], is_in[GROUP_LOAD_GROUPS], has_place[GROUP_LOAD_GROUPS];
    uint16_t place[GROUP_LOAD_GROUPS];
    uint64_t next[GROUP_LOAD_GROUPS];             /* clock of its next packet */
    uint32_t numbers[GROUP_LOAD_GROUPS][NUMBERS]; /* message + 1 of its last packets, by number */
    unsigned queue[GROUP_LOAD_GROUPS][QUEUE_MOST], head[GROUP_LOAD_GROUPS], tail[GROUP_LOAD_GROUPS];
};

struct run {
    const struct group_load_options *options;
    struct group_load_result *result;
    struct mesh_config mesh;
    struct simulation *simulation;
    struct member sites[GROUP_LOAD_SITES];
    uint16_t lists[GROUP_LOAD_GROUPS][PR_GROUP_MEMBERS_MAX];
    unsigned counts[GROUP_LOAD_GROUPS];
    uint32_t (*places)[65536]; /* of each group: message + 1 */
    struct message *messages;
    unsigned count, room;
    uint64_t random;
    double rate; /* packets of a member in a clock */
};

const char *group_load_way_name(unsigned way)
{
    if (way < PR_GROUP_SHAPES)
        return pr_group_shape_name(way);
    return way == GROUP_LOAD_UNICASTS ? "repeated unicasts" : "fabric's own";
}

static bool has_groups(const struct run *run)
{
    return run->options->way < PR_GROUP_SHAPES;
}

static bool orders(const struct run *run)
{
    return has_groups(run) && pr_group_shape_orders(run->options->way);
}

/* ---- content ---- */

static uint32_t content(unsigned message, unsigned index)
{
    uint64_t state = (uint64_t)message << 16 | index;
    if (index == 0)
        return message & 0xffff;
    return index == 1 ? message >> 16 : random_split(&state) & 0xffff;
}

/* ---- what is delivered ---- */

static void check_place(struct member *site, unsigned number, const struct pr_delivery *delivery)
{
    unsigned group = site->run->messages[number].group;
    uint16_t place = (uint16_t)delivery->info[1];
    uint32_t *there = &site->run->places[group][place];
    if (*there == 0)
        *there = number + 1;
    CHECK_EQUAL(*there, number + 1);
    CHECK(!site->has_place[group] || site->place[group] == place);
    site->place[group] = (uint16_t)(place + 1);
    site->has_place[group] = true;
    site->run->places[group][(uint16_t)(place + 32768)] = 0; /* numbers wrap */
}

static void deliver(void *context, const struct pr_delivery *delivery)
{
    struct member *site = context;
    struct run *run = site->run;
    unsigned number = delivery->data[0] | delivery->data[1] << 16;
    struct message *message = &run->messages[number];
    CHECK(delivery->data_words == run->options->data_words && number < run->count);
    CHECK_EQUAL(delivery->source, message->source);
    for (unsigned k = 0; k < delivery->data_words; k++)
        CHECK_EQUAL(delivery->data[k], content(number, k));
    CHECK(!(message->delivered >> site->site & 1)); /* exactly once */
    message->delivered |= UINT64_C(1) << site->site;
    message->last = simulation_clock(run->simulation);
    run->result->deliveries++;
    if (!has_groups(run))
        return;
    CHECK_EQUAL(delivery->info[0], message->group);
    CHECK_EQUAL(delivery->sequence, message->number);
    if (orders(run))
        check_place(site, number, delivery);
}

static struct message *message_of(struct run *run, unsigned group, unsigned source, unsigned number)
{
    uint32_t found = run->sites[source].numbers[group][number % NUMBERS];
    struct message *message = &run->messages[found - 1];
    CHECK(found > 0);
    /* of an ordered group whose leader is gone: it may have settled it */
    return message->number == number && !message->settled ? message : NULL;
}

static void on_event(void *context, const struct pr_groups_event *event)
{
    struct member *site = context;
    struct run *run = site->run;
    struct message *message;
    if (event->kind == PR_GROUPS_VIEW) {
        site->is_in[event->group] = true;
    } else if (event->kind == PR_GROUPS_LOST) {
        site->lost[event->group] = true;
        site->is_in[event->group] = false;
        run->result->lost_members++;
    } else if (event->kind != PR_GROUPS_ORDERED) {
        message = message_of(run, event->group, event->source, event->number);
        if (!message)
            return;
        if (event->kind == PR_GROUPS_FAILED)
            message->failed |= UINT64_C(1) << event->site;
        run->result->failed += event->kind == PR_GROUPS_FAILED;
        message->settled |= event->kind == PR_GROUPS_SETTLED;
    }
}

/* ---- sending ---- */

static uint64_t draw_interval(struct run *run)
{
    double unit = (double)(random_split(&run->random) >> 11) / 9007199254740992.0;
    return 1 + (uint64_t)(-log(1 - unit) / run->rate);
}

static void generate(struct run *run, struct member *site, unsigned group, uint64_t clock)
{
    struct message *message;
    if (run->count == run->room) {
        run->room = 2 * run->room + 1024;
        run->messages = realloc(run->messages, run->room * sizeof *run->messages);
    }
    message = &run->messages[run->count];
    *message = (struct message){.sent = clock, .source = (uint16_t)site->site, .group = (uint8_t)group};
    CHECK(site->tail[group] - site->head[group] < QUEUE_MOST);
    site->queue[group][site->tail[group]++ % QUEUE_MOST] = run->count++;
}

static int send_to_targets(struct run *run, struct member *site, unsigned group, const uint32_t *data)
{
    struct pr_target targets[PR_GROUP_MEMBERS_MAX];
    unsigned count = 0;
    for (unsigned k = 0; k < run->counts[group]; k++)
        if (run->lists[group][k] != site->site)
            targets[count++] = (struct pr_target){.site = run->lists[group][k]};
    return pr_operator_send(site->op, targets, count, HANDLER, data, run->options->data_words, NULL);
}

static int send_to_group(struct run *run, struct member *site, unsigned group, const uint32_t *data,
                         struct message *message)
{
    struct pr_groups *groups = simulation_groups(run->simulation, site->site);
    const struct pr_group *at = pr_groups_find(groups, (uint8_t)group);
    if (!at || at->state != PR_GROUP_IN)
        return -PR_GROUPS_NOBODY;
    message->view = at->view;
    message->since = at->members[at->own].since;
    message->number = at->next;
    return pr_groups_send(groups, (uint8_t)group, HANDLER, data, run->options->data_words, NULL);
}

/* The first packet that waits. False: it cannot be sent now. */
static bool send_first(struct run *run, struct member *site, unsigned group)
{
    unsigned number = site->queue[group][site->head[group] % QUEUE_MOST];
    struct message *message = &run->messages[number];
    uint32_t data[64];
    int error;
    for (unsigned k = 0; k < run->options->data_words; k++)
        data[k] = content(number, k);
    error = has_groups(run) ? send_to_group(run, site, group, data, message) : send_to_targets(run, site, group, data);
    CHECK(error == 0 || error == -PR_GROUPS_BUSY || error == -PR_GROUPS_NOBODY || !has_groups(run));
    run->result->refused += error != 0;
    if (error != 0)
        return false;
    message->taken = true;
    site->numbers[group][message->number % NUMBERS] = number + 1;
    site->head[group]++;
    run->result->packets++;
    return true;
}

static bool may_send(const struct member *site, unsigned group)
{
    return site->op && site->is_in[group];
}

static void tick(void *context, struct simulation *simulation, uint64_t clock)
{
    struct run *run = context;
    const struct group_load_options *options = run->options;
    for (unsigned k = 0; k < (unsigned)run->mesh.sites; k++) {
        struct member *site = &run->sites[k];
        for (unsigned group = 0; group < options->groups; group++) {
            if (!may_send(site, group))
                continue;
            while (site->next[group] <= clock && clock < options->clocks &&
                   (options->packets == 0 || run->count < options->packets)) {
                generate(run, site, group, clock);
                site->next[group] += draw_interval(run);
            }
            while (site->head[group] != site->tail[group] && send_first(run, site, group))
                ;
        }
    }
    if (clock < options->clocks)
        simulation_request_tick(simulation, clock + 1);
}

/* ---- members ---- */

static void attach(struct run *run, unsigned number)
{
    struct member *site = &run->sites[number];
    struct pr_groups *groups = simulation_groups(run->simulation, number);
    site->run = run;
    site->site = number;
    site->op = simulation_operator(run->simulation, number);
    CHECK_EQUAL(pr_operator_register(site->op, HANDLER, deliver, site), 0);
    if (groups)
        pr_groups_observe(groups, on_event, site);
}

static void on_reset(void *context, struct simulation *simulation, unsigned number, bool running)
{
    struct run *run = context;
    struct member *site = &run->sites[number];
    (void)simulation;
    if (running) {
        attach(run, number);
        return;
    }
    site->op = NULL;
    for (unsigned group = 0; group < GROUP_LOAD_GROUPS; group++) {
        site->lost[group] |= site->is_in[group];
        site->is_in[group] = false;
    }
}

static int by_number(const void *one, const void *other)
{
    return *(const uint16_t *)one - *(const uint16_t *)other;
}

/* Each group takes the next sites of a shuffled list; the sites that join come behind its members. */
static void draw_members(struct run *run)
{
    unsigned sites = (unsigned)run->mesh.sites, used = sites;
    uint16_t shuffled[GROUP_LOAD_SITES];
    for (unsigned group = 0; group < run->options->groups; group++) {
        unsigned wanted = run->options->members;
        if (used + wanted > sites) {
            for (unsigned k = 0; k < sites; k++) {
                unsigned from = check_below(&run->random, k + 1);
                shuffled[k] = shuffled[from];
                shuffled[from] = (uint16_t)k;
            }
            used = 0;
        }
        memcpy(run->lists[group], shuffled + used, wanted * sizeof *shuffled);
        used += wanted;
        run->counts[group] = wanted;
        qsort(run->lists[group], wanted, sizeof *shuffled, by_number);
    }
}

static void form(struct run *run, unsigned group, unsigned members)
{
    for (unsigned k = 0; k < members; k++) {
        unsigned site = run->lists[group][k];
        run->sites[site].next[group] = draw_interval(run);
        run->sites[site].is_in[group] = !has_groups(run);
        if (has_groups(run))
            CHECK_EQUAL(pr_groups_form(simulation_groups(run->simulation, site), (uint8_t)group, run->options->way,
                                       run->lists[group][0], run->lists[group], members),
                        0);
    }
}

/* The last sites of the first group join while packets flow. */
static void join_one(struct run *run, unsigned place)
{
    unsigned site = run->lists[0][place];
    run->sites[site].next[0] = simulation_clock(run->simulation) + draw_interval(run);
    CHECK_EQUAL(pr_groups_join(simulation_groups(run->simulation, site), 0, run->lists[0][0]), 0);
}

/* ---- the run ---- */

static void load(struct run *run)
{
    const struct group_load_options *options = run->options;
    char top[4096], path[4300], error[512];
    CHECK_EQUAL(install_paths_top(top, sizeof top), 0);
    snprintf(path, sizeof path, "%s/hw/mesh/%s.mesh", top, options->mesh);
    if (mesh_config_load(path, &run->mesh, error, sizeof error) != 0) {
        fprintf(stderr, "FAIL %s\n", error);
        exit(1);
    }
    CHECK(run->mesh.sites <= GROUP_LOAD_SITES);
}

static void create(struct run *run)
{
    const struct group_load_options *options = run->options;
    struct fault faults[GROUP_LOAD_FAULTS];
    struct simulation_options simulation = {.mesh = &run->mesh,
                                            .pool = POOL,
                                            .window = WINDOW,
                                            .groups = has_groups(run),
                                            .console_free = true,
                                            .seed = options->seed,
                                            .repeated_unicasts = options->way == GROUP_LOAD_UNICASTS,
                                            .faults = faults};
    const struct simulation_engine *engine = strcmp(options->engine, "rtl") == 0 ? &rtl_engine : &functional_engine;
    char error[512];
    while (simulation.fault_count < GROUP_LOAD_FAULTS && options->faults[simulation.fault_count]) {
        if (fault_parse(options->faults[simulation.fault_count], &run->mesh, &faults[simulation.fault_count], error,
                        sizeof error) != 0) {
            fprintf(stderr, "FAIL %s\n", error);
            exit(1);
        }
        simulation.fault_count++;
    }
    run->simulation = engine->create(&simulation, error, sizeof error);
    if (!run->simulation) {
        fprintf(stderr, "FAIL %s\n", error);
        exit(1);
    }
    if (simulation.fault_count > 0)
        simulation_set_reset_hook(run->simulation, on_reset, run);
}

static bool is_at_rest(struct run *run)
{
    for (unsigned k = 0; k < (unsigned)run->mesh.sites; k++) {
        struct member *site = &run->sites[k];
        if (!site->op || simulation_stopped(run->simulation, k))
            continue;
        for (unsigned group = 0; group < run->options->groups; group++)
            if (may_send(site, group) && site->head[group] != site->tail[group])
                return false;
        if (has_groups(run) && !pr_groups_at_rest(simulation_groups(run->simulation, k)))
            return false;
        if (!has_groups(run) && site->op->window.edge != site->op->window.next)
            return false;
    }
    return true;
}

static void go_on(struct run *run, uint64_t clocks)
{
    for (uint64_t end = simulation_clock(run->simulation) + clocks; simulation_clock(run->simulation) < end;)
        simulation_run(run->simulation, CHUNK);
}

static void drain(struct run *run)
{
    uint64_t end = simulation_clock(run->simulation) + DRAIN_CLOCKS;
    while (!is_at_rest(run) && simulation_clock(run->simulation) < end) {
        for (unsigned k = 0; k < (unsigned)run->mesh.sites; k++)
            for (unsigned group = 0; group < run->options->groups; group++)
                while (may_send(&run->sites[k], group) && run->sites[k].head[group] != run->sites[k].tail[group] &&
                       send_first(run, &run->sites[k], group))
                    ;
        simulation_run(run->simulation, CHUNK);
    }
    run->result->complete = is_at_rest(run);
}

/* ---- the verdict ---- */

static bool is_member(const struct run *run, unsigned site, unsigned group)
{
    return run->sites[site].is_in[group] && !run->sites[site].lost[group] && !simulation_stopped(run->simulation, site);
}

/* Of all that were members from before it was sent until now. */
static void check_message(struct run *run, const struct message *message)
{
    struct pr_groups *groups = has_groups(run) ? simulation_groups(run->simulation, message->source) : NULL;
    const struct pr_group *group = groups ? pr_groups_find(groups, message->group) : NULL;
    for (unsigned k = 0; group && k < group->count; k++) {
        unsigned site = group->members[k].site;
        bool later = (int8_t)(group->members[k].since - message->view) > 0;
        if (later || !is_member(run, site, message->group) || (site == message->source && !orders(run)))
            continue;
        CHECK(message->delivered >> site & 1);
        CHECK(!(message->failed >> site & 1));
    }
}

static void check_all(struct run *run)
{
    for (unsigned k = 0; k < run->count; k++) {
        const struct message *message = &run->messages[k];
        if (!message->taken || !has_groups(run) || !is_member(run, message->source, message->group))
            continue;
        CHECK(message->settled);
        check_message(run, message);
    }
}

static void measure(struct run *run)
{
    const struct group_load_options *options = run->options;
    double sums[BATCHES] = {0}, mean = 0, variance = 0;
    unsigned counts[BATCHES] = {0}, batches = 0;
    unsigned long arrived = 0;
    for (unsigned k = 0; k < run->count; k++) {
        const struct message *message = &run->messages[k];
        unsigned batch = (unsigned)(message->sent * BATCHES / options->clocks), copies = 0;
        for (unsigned place = 0; place < run->counts[message->group]; place++)
            copies += message->delivered >> run->lists[message->group][place] & 1;
        if (batch < BATCHES / 4 || batch >= BATCHES || copies + !orders(run) < run->counts[message->group])
            continue;
        sums[batch] += (double)(message->last - message->sent);
        counts[batch]++;
        arrived += message->last < options->clocks;
    }
    for (unsigned batch = 0; batch < BATCHES; batch++) {
        if (counts[batch] == 0)
            continue;
        mean += sums[batch] / counts[batch];
        batches++;
    }
    mean /= batches ? batches : 1;
    for (unsigned batch = 0; batch < BATCHES; batch++)
        if (counts[batch] > 0)
            variance += pow(sums[batch] / counts[batch] - mean, 2);
    run->result->latency = mean;
    run->result->interval = batches > 1 ? 2.3 * sqrt(variance / (batches - 1) / batches) : 0;
    run->result->accepted = (double)arrived * options->data_words /
                            ((double)options->clocks * (BATCHES - BATCHES / 4) / BATCHES * options->groups *
                             options->members);
    run->result->words = (double)simulation_link_words(run->simulation) /
                         ((double)(run->result->packets ? run->result->packets : 1) * options->data_words);
}

static void count_groups(struct run *run)
{
    for (unsigned k = 0; has_groups(run) && k < (unsigned)run->mesh.sites; k++) {
        const struct pr_groups *groups = simulation_groups(run->simulation, k);
        if (!groups)
            continue;
        run->result->repairs += groups->counters[PR_GROUPS_COUNTER_REPAIRS];
        run->result->questions += groups->counters[PR_GROUPS_COUNTER_QUESTIONS];
    }
}

void group_load_run(const struct group_load_options *options, struct group_load_result *result)
{
    struct run *run = calloc(1, sizeof *run);
    memset(result, 0, sizeof *result);
    run->options = options;
    run->result = result;
    run->random = options->seed;
    run->rate = options->load / options->data_words;
    run->places = calloc(options->groups, sizeof *run->places);
    load(run);
    draw_members(run);
    create(run);
    for (unsigned k = 0; k < (unsigned)run->mesh.sites; k++)
        attach(run, k);
    for (unsigned group = 0; group < options->groups; group++)
        form(run, group, run->counts[group] - (group == 0 ? options->joins : 0));
    simulation_set_tick(run->simulation, tick, run);
    simulation_request_tick(run->simulation, 0);
    for (unsigned k = 0; k < options->joins; k++) {
        go_on(run, options->clocks / (options->joins + 1));
        join_one(run, run->counts[0] - options->joins + k);
    }
    go_on(run, options->clocks - simulation_clock(run->simulation));
    if (!options->ends_at_once)
        drain(run);
    count_groups(run);
    measure(run);
    if (result->complete)
        check_all(run);
    result->clocks = simulation_clock(run->simulation);
    simulation_destroy(run->simulation);
    free(run->places);
    free(run->messages);
    free(run);
}
