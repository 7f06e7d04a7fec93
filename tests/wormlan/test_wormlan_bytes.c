/* The events of wormlan/lan_network.h beside the same rules byte by byte (byte_network.h): random worms on small
 * networks, sent on by hosts as they come or when they are complete, some of them cut short, and hosts that stop what
 * comes for a while. Every header, last byte sent and last byte received has the same byte time, and no buffer
 * overflows.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "byte_network.h"
#include "check.h"

enum { MOST_WORMS = 400, MOST_LEGS = 4, MOST_CUTS = 60, MOST_HOLDS = 40, HEADER = 4, NEVER = 0 };

/* A worm goes from host to host. */
struct journey {
    unsigned born, length, legs;
    unsigned hosts[MOST_LEGS + 1];
    bool chases; /* is sent on as it comes, where the host is idle */
};

/* Something that a host does in a byte time: one at most. */
struct act {
    unsigned time, host;
    enum { BEGIN, CUT, HOLD, GO } kind; /* a journey; the worm that the host sends; what comes to the host */
    unsigned journey;
};

struct plan {
    const struct lan_graph *graph;
    struct journey journeys[MOST_WORMS];
    struct act acts[MOST_WORMS + MOST_CUTS + 2 * MOST_HOLDS];
    unsigned journey_count, act_count, last;
};

struct leg {
    struct lan_worm worm; /* first */
    unsigned journey, number;
    struct leg *next;
    uint64_t header, sent, received;
};

/* Either network with the hosts of the test. */
struct side {
    const struct plan *plan;
    struct lan_network *events;
    struct byte_network *bytes;
    uint64_t now;
    struct leg legs[MOST_WORMS][MOST_LEGS];
    struct leg *first[32], *last[32];
    bool passing[32];
    unsigned waits, chased, cuts, holds;
};

static uint64_t now_of(const struct side *side)
{
    return side->events ? lan_network_now(side->events) : side->now;
}

static bool busy(const struct side *side, unsigned host)
{
    return side->events ? lan_network_busy(side->events, host) : byte_network_busy(side->bytes, host);
}

static void start(struct side *side, struct leg *leg, bool behind)
{
    unsigned host = side->plan->journeys[leg->journey].hosts[leg->number];
    if (side->events)
        lan_network_start(side->events, host, &leg->worm, behind);
    else
        byte_network_start(side->bytes, host, &leg->worm, behind);
}

static struct leg *make_leg(struct side *side, unsigned number, unsigned leg_number, unsigned length)
{
    const struct journey *journey = &side->plan->journeys[number];
    struct leg *leg = &side->legs[number][leg_number];
    leg->worm.path = lan_path(side->plan->graph, journey->hosts[leg_number], journey->hosts[leg_number + 1]);
    leg->worm.length = length;
    leg->journey = number;
    leg->number = leg_number;
    return leg;
}

static void queue(struct side *side, struct leg *leg)
{
    unsigned host = side->plan->journeys[leg->journey].hosts[leg->number];
    if (!busy(side, host) && !side->first[host]) {
        start(side, leg, false);
        return;
    }
    side->waits++;
    if (side->first[host])
        side->last[host]->next = leg;
    else
        side->first[host] = leg;
    side->last[host] = leg;
}

static void header(void *context, unsigned host, struct lan_worm *worm)
{
    struct side *side = context;
    struct leg *leg = (struct leg *)worm;
    const struct journey *journey = &side->plan->journeys[leg->journey];
    leg->header = now_of(side);
    if (!journey->chases || leg->number + 1 == journey->legs || journey->length <= HEADER || busy(side, host) ||
        side->first[host])
        return;
    side->passing[host] = true;
    side->chased++;
    start(side, make_leg(side, leg->journey, leg->number + 1, leg->worm.length), true);
}

static void received(void *context, unsigned host, struct lan_worm *worm)
{
    struct side *side = context;
    struct leg *leg = (struct leg *)worm;
    leg->received = now_of(side);
    if (leg->number + 1 < side->plan->journeys[leg->journey].legs && !side->passing[host])
        queue(side, make_leg(side, leg->journey, leg->number + 1, leg->worm.length));
    side->passing[host] = false;
}

static void sent(void *context, unsigned host, struct lan_worm *worm)
{
    struct side *side = context;
    ((struct leg *)worm)->sent = now_of(side);
    struct leg *leg = side->first[host];
    if (!leg)
        return;
    side->first[host] = leg->next;
    start(side, leg, false);
}

static void alarm(void *context, unsigned host, uint64_t about)
{
    struct side *side = context;
    const struct act *act = &side->plan->acts[about];
    CHECK_EQUAL(act->time, now_of(side));
    if (act->kind == BEGIN) {
        queue(side, make_leg(side, act->journey, 0, side->plan->journeys[act->journey].length));
    } else if (act->kind != CUT) {
        side->holds++;
        if (side->events)
            lan_network_hold(side->events, host, act->kind == HOLD);
        else
            byte_network_hold(side->bytes, host, act->kind == HOLD);
    } else if (busy(side, host)) {
        side->cuts++;
        if (side->events)
            lan_network_cut(side->events, host);
        else
            byte_network_cut(side->bytes, host);
    }
}

static const struct lan_listener listener = {header, received, sent, alarm};

/* ---- plans ---- */

static void add_act(struct plan *plan, unsigned *free_at, struct act act)
{
    if (act.time < free_at[act.host])
        act.time = free_at[act.host];
    free_at[act.host] = act.time + 1;
    plan->acts[plan->act_count++] = act;
    plan->last = act.time > plan->last ? act.time : plan->last;
}

static void draw_holds(struct plan *plan, unsigned *free_at, unsigned span, uint64_t *seed)
{
    for (unsigned i = check_below(seed, 2) ? check_below(seed, MOST_HOLDS) : 0; i > 0; i--) {
        unsigned host = check_below(seed, plan->graph->hosts), time = check_below(seed, 2 * span);
        add_act(plan, free_at, (struct act){time, host, HOLD, 0});
        add_act(plan, free_at, (struct act){time + 1 + check_below(seed, 400), host, GO, 0});
    }
}

static void draw_plan(struct plan *plan, const struct lan_graph *graph, uint64_t *seed)
{
    unsigned free_at[32] = {0}, span = 200 + check_below(seed, 6000), longest = 1 + check_below(seed, 150), time = 0;
    memset(plan, 0, sizeof *plan);
    plan->graph = graph;
    plan->journey_count = 1 + check_below(seed, MOST_WORMS);
    for (unsigned i = 0; i < plan->journey_count; i++) {
        struct journey *journey = &plan->journeys[i];
        time += check_below(seed, 2 * span / plan->journey_count + 1);
        *journey = (struct journey){.born = time,
                                    .length = 1 + check_below(seed, longest),
                                    .legs = 1 + check_below(seed, MOST_LEGS),
                                    .chases = check_below(seed, 4) > 0};
        journey->hosts[0] = check_below(seed, graph->hosts);
        for (unsigned leg = 0; leg < journey->legs; leg++)
            journey->hosts[leg + 1] = (journey->hosts[leg] + 1 + check_below(seed, graph->hosts - 1)) % graph->hosts;
        add_act(plan, free_at, (struct act){time, journey->hosts[0], BEGIN, i});
        if (plan->act_count < plan->journey_count + MOST_CUTS / 2 && check_below(seed, 8) == 0 && i < MOST_CUTS)
            add_act(plan, free_at,
                    (struct act){time + check_below(seed, 100), check_below(seed, graph->hosts), CUT, 0});
    }
    draw_holds(plan, free_at, span, seed);
}

/* ---- both sides ---- */

static void run_events(struct side *side, const struct plan *plan)
{
    memset(side, 0, sizeof *side);
    side->plan = plan;
    side->events = lan_network_create(plan->graph, &lan_timing_paper, HEADER, &listener, side);
    for (unsigned i = 0; i < plan->act_count; i++)
        lan_network_alarm(side->events, plan->acts[i].time, plan->acts[i].host, i);
    lan_network_run(side->events, UINT64_MAX / 32);
    CHECK(lan_network_is_quiet(side->events));
}

static bool all_here(const struct side *side)
{
    for (unsigned i = 0; i < side->plan->journey_count; i++)
        if (!side->legs[i][side->plan->journeys[i].legs - 1].received)
            return false;
    return true;
}

static void run_bytes(struct side *side, const struct plan *plan)
{
    memset(side, 0, sizeof *side);
    side->plan = plan;
    side->bytes = byte_network_create(plan->graph, HEADER, &listener, side);
    for (; side->now <= plan->last || side->now % 64 || !all_here(side); side->now++) {
        CHECK(side->now < plan->last + 1000000);
        byte_network_begin(side->bytes, side->now);
        for (unsigned i = 0; i < plan->act_count; i++)
            if (plan->acts[i].time == side->now)
                alarm(side, plan->acts[i].host, i);
        byte_network_step(side->bytes);
    }
}

static void compare(const struct side *events, const struct side *bytes, const struct plan *plan)
{
    for (unsigned i = 0; i < plan->journey_count; i++)
        for (unsigned k = 0; k < plan->journeys[i].legs; k++) {
            const struct leg *one = &events->legs[i][k], *other = &bytes->legs[i][k];
            check(one->header == other->header && one->sent == other->sent && one->received == other->received &&
                      one->received != NEVER,
                  "worm %u, leg %u: header, sent, received at %llu %llu %llu, expected %llu %llu %llu", i, k,
                  (unsigned long long)one->header, (unsigned long long)one->sent, (unsigned long long)one->received,
                  (unsigned long long)other->header, (unsigned long long)other->sent,
                  (unsigned long long)other->received);
        }
    for (unsigned link = 0; link < plan->graph->link_count; link++) {
        unsigned used = lan_network_slack_used(events->events, link),
                 same = byte_network_slack_used(bytes->bytes, link);
        check(used >= same && used <= same + 1, "link %u: a buffer of %u bytes, expected %u", link, used, same);
        check(used <= lan_slack_bytes(plan->graph->links[link].delay), "link %u: a buffer of %u bytes", link, used);
    }
}

/* ---- networks ---- */

/* A ring of four bare switches with a host on a switch of its own behind each. */
static void star(struct mesh_config *config)
{
    static const uint8_t ends[][4] = {
        {0, 0, 4, 2}, {1, 0, 5, 2}, {2, 0, 6, 2}, {3, 0, 7, 2}, {4, 0, 5, 1}, {4, 1, 7, 0}, {4, 2, 0, 0}, {5, 0, 6, 1},
        {5, 1, 4, 0}, {5, 2, 1, 0}, {6, 0, 7, 1}, {6, 1, 5, 0}, {6, 2, 2, 0}, {7, 0, 4, 1}, {7, 1, 6, 0}, {7, 2, 3, 0}};
    *config = (struct mesh_config){0};
    mesh_set_shape(config,
                   &(struct pr_shape){.topology = PR_TOPOLOGY_GRAPH, .size_x = 8, .size_y = 3, .word_width = 32});
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        config->cable_ends[config->cable_end_count++] = (struct pr_cable){
            .site = ends[i][0],
            .link = ends[i][1],
            .far_site = ends[i][2],
            .far_link = ends[i][3],
            .delay = (uint16_t)(3 + (ends[i][0] ^ ends[i][2]))};
    config->switches[0] = 0xf0;
}

static void draw_network(struct mesh_config *config, struct lan_graph_options *options, uint64_t *seed)
{
    unsigned kind = check_below(seed, 4);
    *options = (struct lan_graph_options){.delay = 1 + check_below(seed, check_below(seed, 2) ? 3 : 60),
                                          .host_delay = 1 + check_below(seed, 12),
                                          .drawn_numbers = check_below(seed, 2) > 0,
                                          .drawn_paths = check_below(seed, 2) > 0,
                                          .seed = check_random(seed)};
    if (kind == 0) {
        lan_shufflenet(config);
    } else if (kind == 1) {
        star(config);
        options->delay = check_below(seed, 2) ? options->delay : 0;
    } else {
        lan_torus(config, 3 + check_below(seed, 3), 3 + check_below(seed, 3));
    }
}

int main(void)
{
    static struct plan plan;
    static struct side events, bytes;
    static struct mesh_config config;
    uint64_t seed = check_seed();
    unsigned long rounds = check_rounds(60), waits = 0, chased = 0, cuts = 0, holds = 0;
    for (unsigned long round = 0; round < rounds; round++) {
        struct lan_graph_options options;
        char error[256];
        draw_network(&config, &options, &seed);
        struct lan_graph *graph = lan_graph_create(&config, &options, error, sizeof error);
        check(graph != NULL, "%s", graph ? "" : error);
        CHECK(graph);
        draw_plan(&plan, graph, &seed);
        run_events(&events, &plan);
        run_bytes(&bytes, &plan);
        compare(&events, &bytes, &plan);
        waits += events.waits;
        chased += events.chased;
        cuts += events.cuts;
        holds += events.holds;
        lan_network_free(events.events);
        byte_network_free(bytes.bytes);
        lan_graph_free(graph);
    }
    printf("%lu networks, %lu worms waited at hosts, %lu followed, %lu cuts, %lu stops and goes of hosts\n", rounds,
           waits, chased, cuts, holds);
    check(rounds < 20 || (waits > rounds && chased > rounds && cuts > rounds / 2 && holds > rounds),
          "too little happens");
    return verdict("wormlan bytes");
}
