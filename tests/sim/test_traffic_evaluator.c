/* The traffic evaluators (firmware/traffic) of native sites: what they report is what an observer of each operator
 * counts, with the reliable and the raw service, and with damaged words. They send as many packets as ordered and no
 * more, with the gap that was ordered, measure each probe once, and hide traffic from the console alone. An order that
 * comes again, of another run, cut or of any words does no harm.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine_test.h"

#include <string.h>

#include "protocol.h"

enum {
    SITES = 4,
    HOST = 3, /* gives the orders */
    TAG = 77,
    LENGTH = 9,
    PACKETS = 150,
    TRIPS_MOST = 32,
    LIMIT = 2000000,
    STEP = 200
};

struct report {
    unsigned count, tag, measured, trips;
    uint32_t number, sent, received, first, last;
    uint32_t clocks[TRIPS_MOST];
};

struct seen {
    struct pr_operator *op;
    unsigned site, from[SITES], others; /* packets of traffic, by source; and deliveries of anything else */
};

struct mesh_of_evaluators {
    struct simulation *simulation;
    struct seen seen[SITES];
    struct report reports[SITES];
    unsigned number;
};

static void see(void *context, const struct pr_operator_event *event)
{
    struct seen *seen = context;
    if (event->kind != PR_OPERATOR_EVENT_DELIVERED)
        return;
    unsigned kind = event->delivery->data_words ? event->delivery->data[PR_TRAFFIC_KIND] & 0xff : 0;
    if (event->delivery->handler != PR_HANDLER_TRAFFIC)
        seen->others++;
    else if ((kind == PR_TRAFFIC_KIND_DATA || kind == PR_TRAFFIC_KIND_PROBE) &&
             event->delivery->data[PR_TRAFFIC_TAG] == TAG) {
        seen->from[event->delivery->source]++;
        CHECK_EQUAL(event->delivery->data_words, LENGTH);
    }
}

static uint32_t long_word(const uint32_t *words)
{
    return words[0] | words[1] << 16;
}

static void take_report(void *context, const struct pr_delivery *delivery)
{
    struct mesh_of_evaluators *all = context;
    struct report *report = &all->reports[delivery->source];
    const uint32_t *words = delivery->data;
    CHECK(delivery->data_words >= PR_TRAFFIC_REPORT_TRIPS);
    CHECK_EQUAL(words[PR_TRAFFIC_KIND], PR_TRAFFIC_KIND_REPORT);
    report->count++;
    report->tag = words[PR_TRAFFIC_TAG];
    report->number = words[PR_TRAFFIC_REPORT_NUMBER];
    report->sent = long_word(words + PR_TRAFFIC_REPORT_SENT);
    report->received = long_word(words + PR_TRAFFIC_REPORT_RECEIVED);
    report->first = long_word(words + PR_TRAFFIC_REPORT_FIRST);
    report->last = long_word(words + PR_TRAFFIC_REPORT_LAST);
    report->measured = words[PR_TRAFFIC_REPORT_MEASURED];
    report->trips = (delivery->data_words - PR_TRAFFIC_REPORT_TRIPS) / 2;
    CHECK(report->trips <= TRIPS_MOST);
    for (unsigned k = 0; k < report->trips; k++)
        report->clocks[k] = long_word(words + PR_TRAFFIC_REPORT_TRIPS + 2 * k);
}

static void begin(struct mesh_of_evaluators *all, bool reliable, const struct fault *fault)
{
    static struct mesh_config mesh;
    load_mesh("grid-4x4", &mesh);
    mesh.size_x = mesh.size_y = 2;
    mesh.sites = SITES;
    mesh_set_reliable(&mesh, reliable);
    const struct simulation_options options = {
        .mesh = &mesh, .kind = SITE_NATIVE, .window = 8, .seed = 5, .faults = fault, .fault_count = fault ? 1 : 0};
    memset(all, 0, sizeof *all);
    all->simulation = start(&options);
    for (unsigned site = 0; site < SITES; site++) {
        all->seen[site].op = simulation_operator(all->simulation, site);
        all->seen[site].site = site;
        CHECK_EQUAL(pr_operator_observe(all->seen[site].op, see, &all->seen[site]), 0);
    }
    CHECK_EQUAL(pr_operator_register(all->seen[HOST].op, PR_HANDLER_ORDERS, take_report, all), 0);
}

static void run(struct mesh_of_evaluators *all, unsigned clocks)
{
    simulation_run(all->simulation, clocks);
}

struct order {
    unsigned kind, tag, to, length, gap, until, taken, about;
};

static void send_words(struct mesh_of_evaluators *all, unsigned site, const uint32_t *words, unsigned count)
{
    const struct pr_target target = {.site = site};
    while (pr_operator_send(all->seen[HOST].op, &target, 1, PR_HANDLER_TRAFFIC, words, count, NULL) != 0)
        run(all, STEP);
}

/* The report of the site, which has come: in a raw mesh that damages words, after some tries. */
static const struct report *ask(struct mesh_of_evaluators *all, unsigned site, struct order order)
{
    struct report *report = &all->reports[site];
    unsigned before = report->count;
    const uint32_t words[PR_TRAFFIC_ORDER_WORDS] = {
        order.kind,        order.tag,          ++all->number,   order.to,
        order.length,      order.gap & 0xffff, order.gap >> 16, order.until & 0xffff,
        order.until >> 16, order.taken,        order.about};
    for (unsigned tries = 0; tries < 50 && report->count == before; tries++) {
        send_words(all, site, words, PR_TRAFFIC_ORDER_WORDS);
        for (unsigned clocks = 0; clocks < 20000 && report->count == before; clocks += STEP)
            run(all, STEP);
    }
    CHECK(report->count > before);
    return report;
}

static const struct report *look(struct mesh_of_evaluators *all, unsigned site, unsigned about)
{
    return ask(all, site, (struct order){.kind = PR_TRAFFIC_KIND_ORDER, .tag = TAG, .length = LENGTH, .about = about});
}

static void begin_run(struct mesh_of_evaluators *all)
{
    for (unsigned site = 0; site < SITES; site++) {
        const struct report *report = ask(all, site,
                                          (struct order){.kind = PR_TRAFFIC_KIND_BEGIN, .tag = TAG, .length = LENGTH});
        CHECK_EQUAL(report->tag, TAG);
        CHECK_EQUAL(report->sent + report->received + report->measured, 0);
        memset(all->seen[site].from, 0, sizeof all->seen[site].from);
    }
}

static const struct report *order_traffic(struct mesh_of_evaluators *all, unsigned from, unsigned to, unsigned until,
                                          unsigned gap)
{
    return ask(all, from,
               (struct order){
                   .kind = PR_TRAFFIC_KIND_ORDER, .tag = TAG, .to = to, .length = LENGTH, .gap = gap, .until = until});
}

static void wait_for(struct mesh_of_evaluators *all, unsigned to, unsigned from, unsigned packets, unsigned limit)
{
    for (unsigned clocks = 0; clocks < limit && all->seen[to].from[from] < packets; clocks += STEP)
        run(all, STEP);
    run(all, 50 * STEP); /* whatever comes behind it, too */
}

static void end(struct mesh_of_evaluators *all)
{
    simulation_destroy(all->simulation);
}

/* Two sources at once, one of which is a target too. */
static void counts(bool reliable, const struct fault *fault, bool lossless)
{
    static struct mesh_of_evaluators all;
    unsigned others;
    begin(&all, reliable, fault);
    begin_run(&all);
    others = all.seen[HOST].others;
    order_traffic(&all, 0, 1, PACKETS, 0);
    order_traffic(&all, 2, 1, PACKETS / 2, 0);
    order_traffic(&all, 1, 2, PACKETS / 3, 40);
    wait_for(&all, 1, 0, PACKETS, lossless ? LIMIT : LIMIT / 40);
    wait_for(&all, 1, 2, PACKETS / 2, lossless ? LIMIT : LIMIT / 40);
    wait_for(&all, 2, 1, PACKETS / 3, lossless ? LIMIT : LIMIT / 40);
    CHECK(all.seen[HOST].others > others);
    CHECK_EQUAL(look(&all, 1, 0)->received, all.seen[1].from[0]);
    CHECK_EQUAL(look(&all, 1, 2)->received, all.seen[1].from[2]);
    CHECK_EQUAL(look(&all, 2, 1)->received, all.seen[2].from[1]);
    CHECK_EQUAL(look(&all, 2, 0)->received, 0);
    CHECK_EQUAL(all.reports[1].sent, PACKETS / 3);
    CHECK_EQUAL(look(&all, 0, 1)->sent, PACKETS);
    CHECK(!lossless || (all.seen[1].from[0] == PACKETS && all.seen[1].from[2] == PACKETS / 2));
    CHECK(lossless || all.seen[1].from[0] < PACKETS);
    CHECK(all.seen[1].from[0] > PACKETS / 4);
    begin_run(&all);
    CHECK_EQUAL(look(&all, 1, 0)->received, 0);
    end(&all);
}

static void exact_counts(void)
{
    counts(true, NULL, true);
    counts(false, NULL, true);
}

static void exact_counts_under_faults(void)
{
    static const struct fault corrupt = {.kind = FAULT_CORRUPT, .site = FAULT_ANY, .link = FAULT_ANY, .share = 0.003};
    counts(true, &corrupt, true);
    counts(false, &corrupt, false);
}

static void stops_and_goes_on(void)
{
    static struct mesh_of_evaluators all;
    unsigned sent;
    begin(&all, true, NULL);
    begin_run(&all);
    order_traffic(&all, 0, 1, PACKETS, 0);
    wait_for(&all, 1, 0, PACKETS, LIMIT);
    CHECK_EQUAL(all.seen[1].from[0], PACKETS);
    order_traffic(&all, 0, 1, PACKETS, 0); /* the same again */
    run(&all, LIMIT / 10);
    CHECK_EQUAL(all.seen[1].from[0], PACKETS);
    order_traffic(&all, 0, 1, 100 * PACKETS, 0);
    run(&all, STEP);
    order_traffic(&all, 0, 1, 0, 0);
    sent = look(&all, 0, 1)->sent;
    CHECK(sent > PACKETS && sent < 100 * PACKETS);
    run(&all, LIMIT / 10);
    CHECK_EQUAL(look(&all, 0, 1)->sent, sent);
    CHECK_EQUAL(all.seen[1].from[0], sent);
    end(&all);
}

/* The gap, the clocks of the target, and each probe once, however often it is asked for them. */
static void keeps_time(void)
{
    enum { GAP = 900, COUNT = 60 };
    static struct mesh_of_evaluators all;
    unsigned taken = 0;
    begin(&all, true, NULL);
    begin_run(&all);
    order_traffic(&all, 0, 1, COUNT, GAP);
    wait_for(&all, 1, 0, COUNT, LIMIT);
    const struct report *report = look(&all, 1, 0);
    CHECK(report->last - report->first >= (COUNT - 1) * GAP - GAP / 2);
    CHECK(report->last - report->first < (COUNT - 1) * GAP + COUNT * GAP / 10);
    report = look(&all, 0, 1);
    CHECK_EQUAL(report->measured, 16); /* as many as there is room for */
    while (taken < report->measured) {
        CHECK(report->trips > 0);
        for (unsigned k = 0; k < report->trips; k++)
            CHECK(report->clocks[k] > LENGTH && report->clocks[k] < GAP);
        taken += report->trips;
        report = ask(&all, 0,
                     (struct order){.kind = PR_TRAFFIC_KIND_ORDER, .tag = TAG, .length = LENGTH, .taken = taken});
    }
    CHECK_EQUAL(taken, report->measured);
    CHECK_EQUAL(report->trips, 0);
    end(&all);
}

/* What a host cannot mean: it is answered or dropped, and the run goes on. */
static void bears_anything(void)
{
    static struct mesh_of_evaluators all;
    uint64_t random = check_seed();
    uint32_t words[LENGTH + 8];
    begin(&all, true, NULL);
    begin_run(&all);
    order_traffic(&all, 0, 1, PACKETS, 0);
    const struct report *report = ask(
        &all, 0, (struct order){.kind = PR_TRAFFIC_KIND_ORDER, .tag = TAG + 1, .length = LENGTH, .until = 100000});
    CHECK_EQUAL(report->tag, TAG);
    wait_for(&all, 1, 0, PACKETS, LIMIT);
    CHECK_EQUAL(look(&all, 1, 0)->received, PACKETS);
    const uint32_t strange[LENGTH] = {PR_TRAFFIC_KIND_DATA, TAG + 1}, known[LENGTH] = {PR_TRAFFIC_KIND_DATA, TAG};
    send_words(&all, 1, strange, LENGTH);
    send_words(&all, 1, known, LENGTH);
    CHECK_EQUAL(look(&all, 1, HOST)->received, 1);
    for (unsigned site = 0; site < SITES; site++) /* what it sends then is no packet of this test */
        all.seen[site].op->common.events.observer_count = 1;
    for (unsigned long k = 0; k < check_rounds(300); k++) {
        unsigned count = check_below(&random, LENGTH + 8);
        for (unsigned i = 0; i < count; i++)
            words[i] = i == 0 ? check_below(&random, 8) : check_below(&random, 65536);
        if (count > PR_TRAFFIC_ORDER_LENGTH && check_below(&random, 2))
            words[PR_TRAFFIC_ORDER_LENGTH] = check_below(&random, 4);
        send_words(&all, check_below(&random, SITES - 1), words, count);
        run(&all, 100);
    }
    begin_run(&all);
    run(&all, LIMIT / 10);
    begin_run(&all);
    order_traffic(&all, 0, 1, PACKETS, 0);
    for (unsigned tries = 0; tries < 100 && look(&all, 1, 0)->received < PACKETS; tries++)
        run(&all, STEP);
    CHECK_EQUAL(all.reports[1].received, PACKETS);
    end(&all);
}

int main(void)
{
    RUN(exact_counts);
    RUN(exact_counts_under_faults);
    RUN(stops_and_goes_on);
    RUN(keeps_time);
    RUN(bears_anything);
    printf("PASS traffic evaluators\n");
    return 0;
}
