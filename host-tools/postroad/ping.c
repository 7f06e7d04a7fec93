/* postroad ping: round-trip times from the gateway's node to other nodes, in clocks of the fabric. One ping is
 * outstanding at a time, so that pings do not disturb each other.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/gateway.h"
#include "cli/pipelined_requests.h"
#include "cli/report.h"
#include "cli/site_set.h"
#include "cli/table.h"
#include "cli/two_clocks.h"
#include "daemon/daemon_requests.h"
#include "mesh/topology_view.h"
#include "postroad/verbs.h"
#include "support/or_abort.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct trips {
    size_t sent, answered;
    uint32_t minimum, maximum;
    double sum, out, back;
    struct two_clocks clocks; /* of the gateway's node and this one */
};

struct ping_options {
    struct options common;
    long count; /* pings to every site */
    long words; /* of data in each */
};

struct pings {
    const struct ping_options *options;
    const struct site_set *set;
    size_t count; /* to every site */
    struct trips *trips;
    bool one_clock; /* all sites have one */
};

static void request(void *context, size_t index, struct pr_frame *out)
{
    struct pings *pings = context;
    pr_message_ping(out, pings->set->sites[index / pings->count], (unsigned)pings->options->words);
}

static bool answer(void *context, size_t index, const struct pr_frame *frame)
{
    struct pings *pings = context;
    struct trips *trips = &pings->trips[index / pings->count];
    struct pr_message_ping ping;
    if (!pr_message_read_ping(frame, &ping) || ping.site != pings->set->sites[index / pings->count])
        return false;
    if (!trips->answered || ping.round_trip < trips->minimum)
        trips->minimum = ping.round_trip;
    if (!trips->answered || ping.round_trip > trips->maximum)
        trips->maximum = ping.round_trip;
    trips->sum += ping.round_trip;
    trips->out += ping.out;
    trips->back += ping.back;
    two_clocks_add(&trips->clocks, ping.out, ping.back);
    trips->answered++;
    return true;
}

static const struct table_column columns[] = {
    {"site", 0, false, false},    {"hops", 3, false, false}, {"answered", 1, false, false},
    {"minimum", 4, false, false}, {"mean", 2, false, false}, {"maximum", 4, false, false},
    {"out", 5, true, false},      {"back", 5, true, false},  {"both", 5, true, false},
    {"offset", 6, true, false},   {"to", 6, true, false},
};

enum {
    PING_SITE,
    PING_HOPS,
    PING_ANSWERED,
    PING_MINIMUM,
    PING_MEAN,
    PING_MAXIMUM,
    PING_OUT,
    PING_BACK,
    PING_BOTH,
    PING_LOW,
    PING_HIGH
};

/* The times of the ways, if the clocks tell them, else what is known of both together and of the clocks. */
static void add_ways(struct table *table, const struct trips *trips, bool one_clock)
{
    double n = (double)trips->answered;
    int64_t low, high;
    if (one_clock) {
        table_cell(table, PING_OUT, "%.1f", trips->out / n);
        table_cell(table, PING_BACK, "%.1f", trips->back / n);
        return;
    }
    table_cell(table, PING_BOTH, "%.1f", trips->clocks.sum / n);
    if (two_clocks_offset(&trips->clocks, &low, &high)) {
        table_cell(table, PING_LOW, "%lld", (long long)low);
        table_cell(table, PING_HIGH, "%lld", (long long)high);
    }
}

/* A node has one clock with itself. */
static bool has_one_clock(const struct gateway *gateway, const struct pings *pings, int site)
{
    return pings->one_clock || site == (int)gateway->identity.site;
}

static void add_row(struct table *table, const struct gateway *gateway, const struct pings *pings, size_t index)
{
    const struct trips *trips = &pings->trips[index];
    const size_t count = pings->count;
    const int site = pings->set->sites[index];
    double n = (double)trips->answered;
    table_row(table, trips->answered == count ? STYLE_PLAIN : trips->answered ? STYLE_DOUBTFUL : STYLE_BAD);
    table_cell(table, PING_SITE, "%d", site);
    table_cell(table, PING_HOPS, "%d", mesh_hops(&gateway->mesh, (int)gateway->identity.site, site));
    table_cell(table, PING_ANSWERED, "%zu/%zu", trips->answered, count);
    if (!trips->answered) {
        table_cell(table, PING_MEAN, "silent");
        return;
    }
    table_cell(table, PING_MINIMUM, "%u", (unsigned)trips->minimum);
    table_cell(table, PING_MEAN, "%.1f", trips->sum / n);
    table_cell(table, PING_MAXIMUM, "%u", (unsigned)trips->maximum);
    add_ways(table, trips, has_one_clock(gateway, pings, site));
}

static void print_table(const struct gateway *gateway, const struct pings *pings)
{
    struct table table;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < pings->set->count; i++)
        add_row(&table, gateway, pings, i);
    table_print(&table, stdout, pings->set->count, terminal_width(STDOUT_FILENO));
    table_end(&table);
    printf("Clocks, from site %u and back.\n", (unsigned)gateway->identity.site);
    if (!pings->one_clock)
        printf(
            "Each board has a clock of its own: what each way takes cannot be known, both ways together are exact. The\n"
            "offset, a site's clock less that of site %u modulo 2^32, lies within its bounds.\n",
            (unsigned)gateway->identity.site);
}

static void add_clocks(cJSON *object, const char *name, bool known, double value)
{
    if (known)
        cJSON_AddNumberToObject(object, name, value);
    else
        cJSON_AddNullToObject(object, name);
}

static void add_ways_json(cJSON *one, const struct trips *trips, bool one_clock)
{
    bool known = trips->answered > 0;
    double n = known ? (double)trips->answered : 1;
    int64_t low = 0, high = 0;
    bool bounded = !one_clock && two_clocks_offset(&trips->clocks, &low, &high);
    add_clocks(one, "out_clocks_mean", known && one_clock, trips->out / n);
    add_clocks(one, "back_clocks_mean", known && one_clock, trips->back / n);
    cJSON *both = cJSON_AddObjectToObject(one, "both_ways_clocks");
    add_clocks(both, "min", known, trips->clocks.least);
    add_clocks(both, "mean", known, trips->clocks.sum / n);
    cJSON *offset = cJSON_AddObjectToObject(one, "clock_offset");
    add_clocks(offset, "min", bounded || one_clock, (double)low);
    add_clocks(offset, "max", bounded || one_clock, (double)high);
}

static void print_json(const struct gateway *gateway, const struct pings *pings)
{
    cJSON *object = report_object("ping"), *list;
    cJSON_AddNumberToObject(object, "from", gateway->identity.site);
    cJSON_AddNumberToObject(object, "data_words", (double)pings->options->words);
    cJSON_AddBoolToObject(object, "one_clock", pings->one_clock);
    list = cJSON_AddArrayToObject(object, "sites");
    for (size_t i = 0; i < pings->set->count; i++) {
        const struct trips *trips = &pings->trips[i];
        cJSON *one = cJSON_CreateObject();
        bool known = trips->answered > 0;
        double n = known ? (double)trips->answered : 1;
        cJSON_AddNumberToObject(one, "site", pings->set->sites[i]);
        cJSON_AddNumberToObject(one, "hops",
                                mesh_hops(&gateway->mesh, (int)gateway->identity.site, pings->set->sites[i]));
        cJSON_AddNumberToObject(one, "sent", (double)pings->count);
        cJSON_AddNumberToObject(one, "answered", (double)trips->answered);
        cJSON *clocks = cJSON_AddObjectToObject(one, "round_trip_clocks");
        add_clocks(clocks, "min", known, trips->minimum);
        add_clocks(clocks, "mean", known, trips->sum / n);
        add_clocks(clocks, "max", known, trips->maximum);
        add_ways_json(one, trips, has_one_clock(gateway, pings, pings->set->sites[i]));
        cJSON_AddItemToArray(list, one);
    }
    report_print(object, false);
}

static int ping_set(struct gateway *gateway, const struct site_set *set)
{
    const struct ping_options *options = (const void *)gateway->options;
    struct pings pings = {.options = options, .set = set, .count = (size_t)options->count};
    uint64_t clock;
    pings.one_clock = gateway->endpoint.kind == PR_ENDPOINT_UP && daemon_requests_clock(gateway->endpoint.path, &clock);
    pings.trips = or_abort(calloc(set->count, sizeof *pings.trips));
    struct pipelined_requests requests = {.label = "ping",
                                          .count = set->count * pings.count,
                                          .window = 1,
                                          .context = &pings,
                                          .request = request,
                                          .answer = answer};
    int status = pipelined_requests_run(gateway, &requests);
    if (status == EXIT_OK) {
        if (options->common.json)
            print_json(gateway, &pings);
        else
            print_table(gateway, &pings);
        if (requests.refused)
            report_error("ping", "%zu pings refused: %s", requests.refused, pr_message_status_text(requests.refusal));
        status = requests.refused && !requests.answered ? EXIT_USAGE : pipelined_requests_exit_code(&requests);
    }
    free(pings.trips);
    return status;
}

static int run(const struct options *options)
{
    struct gateway gateway;
    struct site_set set;
    int status = gateway_open_sites(&gateway, options, &set);
    if (status != EXIT_OK)
        return status;
    status = ping_set(&gateway, &set);
    gateway_close_sites(&gateway, &set);
    return status;
}

static const struct option_row rows[] = {
    {.name = "count",
     .letter = 'c',
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct ping_options, count),
     .minimum = 1,
     .maximum = 100000,
     .initial = "4",
     .help = "pings to every site"},
    {.name = "words",
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct ping_options, words),
     .maximum = 1000,
     .initial = "0",
     .help = "data words in a ping"},
    {.name = NULL},
};

static const char manual[] =
    "Measures round trips from the node of the gateway, in clocks: minimum, mean and maximum. The column `out` "
    "is the time from the start of the request to its arrival; the column `back` is the time from the start of "
    "the answer to its arrival.\n"
    "These two need one clock, which a simulated mesh has. Each board has a clock of its own, set by no other. Then "
    "only the sum of the two is known, exactly, as `both`; and that the offset of the two clocks lies between the "
    "bounds `offset` and `to`, which are as far apart as the shortest ping took. Without bounds the clocks have come "
    "apart while they were measured.";

static const struct json_key keys[] = {
    {"from", "site", "the site that asked"},
    {"data_words", "words", "data in a ping"},
    {"sites[].site", "site", "the site"},
    {"sites[].hops", "links", "length of the way there"},
    {"sites[].sent", "pings", "number sent"},
    {"sites[].answered", "pings", "number answered"},
    {"sites[].round_trip_clocks.min", "clocks", "least round trip; null without an answer"},
    {"sites[].round_trip_clocks.mean", "clocks", "mean round trip"},
    {"sites[].round_trip_clocks.max", "clocks", "greatest round trip"},
    {"one_clock", "true or false", "all sites have one clock, as in a simulated mesh"},
    {"sites[].out_clocks_mean", "clocks", "from the start of the request to its arrival, mean; null with two clocks"},
    {"sites[].back_clocks_mean", "clocks", "from the start of the answer to its arrival, mean; null with two clocks"},
    {"sites[].both_ways_clocks.min", "clocks", "out and back together, least; exact with two clocks, too"},
    {"sites[].both_ways_clocks.mean", "clocks", "out and back together, mean"},
    {"sites[].clock_offset.min", "clocks",
     "the site's clock less the asking site's, modulo 2^32: at least; null: unknown"},
    {"sites[].clock_offset.max", "clocks", "the same: at most"},
    {NULL, NULL, NULL},
};

const struct verb verb_ping = {
    .name = "ping",
    .operands = "SITES",
    .summary = "Measures round trips in clocks.",
    .manual = manual,
    .operands_min = 1,
    .operands_max = 1,
    .operand_words = {"all"},
    .common = COMMON_ASK,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct ping_options),
    .run = run,
};
