/* postroad soak: how many bits are wrong on each cable, all of them tested at once.
 *
 * Every link sends frames all the time, and the board at its end counts those that are damaged.
 * An idle link sends a status frame of 33 bits every 72 bit times (hw/board_link/README.md), a busy one words in the
 * places between. Only the idle link's share is taken as tested: a busy one tests more, and its bound stays true.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/link_list.h"
#include "cli/report.h"
#include "cli/table.h"
#include "mesh/topology_view.h"
#include "postroad/verbs.h"

#include <math.h>
#include <unistd.h>

static const double tested_share = 33.0 / 72;
static const double interval = 1;      /* seconds between two readings: no count wraps meanwhile */
static const double confidence = 0.05; /* of the bound: so often the truth is above it */

struct soak_options {
    struct options common;
    double seconds;
};

struct soak {
    const struct soak_options *options;
    struct link_list list;
    double tested; /* seconds */
};

static double tested_bits(const struct soak *soak)
{
    return soak->tested * link_list_bit_rate(&soak->list) * tested_share;
}

/* The mean of a Poisson process of which so few events or fewer are seen with the probability `confidence`; -ln of it,
 * about 3, for no event. */
static double poisson_bound(unsigned long events)
{
    double low = (double)events, high = (double)events + 10 + 6 * sqrt((double)events + 1);
    while (high - low > 1e-6 * high) {
        double middle = (low + high) / 2, sum = 0;
        for (unsigned long k = 0; k <= events; k++)
            sum += exp((double)k * log(middle) - middle - lgamma((double)k + 1));
        if (sum > confidence)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* A link that was down meanwhile has had fewer bits. */
static bool is_tested(const struct soak *soak, const struct one_link *one)
{
    return link_is_up(one) && !one->trained && tested_bits(soak) > 0;
}

static const char *state(const struct soak *soak, const struct one_link *one, char text[LINK_STATE_TEXT])
{
    if (!link_is_good(one) || !one->trained)
        return link_state(&soak->list, one, text);
    snprintf(text, LINK_STATE_TEXT, "up, was down meanwhile");
    return text;
}

/* EXIT_INTERRUPTED leaves what has been counted. */
static int test(struct soak *soak)
{
    double began = pr_client_now(), end = began + soak->options->seconds, next = began;
    int status = EXIT_OK;
    while ((status == EXIT_OK || status == EXIT_PARTIAL) && next < end) {
        next = fmin(fmax(next + interval, pr_client_now()), end);
        status = gateway_wait_until(soak->list.gateway, next);
        if (status != EXIT_OK)
            break;
        status = link_list_read(&soak->list);
        if (status == EXIT_OK || status == EXIT_PARTIAL)
            soak->tested = pr_client_now() - began;
    }
    return status;
}

static double rate(const struct soak *soak, const struct one_link *one)
{
    return (double)one->damaged / tested_bits(soak);
}

static double worst_rate(const struct soak *soak, const struct one_link *one)
{
    return poisson_bound(one->damaged) / tested_bits(soak);
}

static void print_table(const struct soak *soak)
{
    enum { SITE, LINK, TO, STATE, DAMAGED, BITS, RATE, BOUND };
    static const struct table_column columns[] = {
        {.title = "site"},       {.title = "link", .left = true},
        {.title = "to"},         {.title = "state", .left = true},
        {.title = "damaged"},    {.title = "bits", .rank = 1},
        {.title = "error rate"}, {.title = "95 % below"},
    };
    struct table table;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < soak->list.count; i++) {
        const struct one_link *one = &soak->list.links[i];
        char text[LINK_STATE_TEXT];
        table_row(&table, !link_is_good(one) || one->trained ? STYLE_BAD : one->damaged ? STYLE_DOUBTFUL : STYLE_PLAIN);
        table_cell(&table, SITE, "%u", one->site);
        table_cell(&table, LINK, "%s", mesh_link_name(&soak->list.gateway->mesh, (int)one->link));
        if (one->neighbour >= 0)
            table_cell(&table, TO, "%d", one->neighbour);
        table_cell(&table, STATE, "%s", state(soak, one, text));
        if (!is_tested(soak, one))
            continue;
        table_cell(&table, DAMAGED, "%lu", one->damaged);
        table_cell(&table, BITS, "%.2g", tested_bits(soak));
        table_cell(&table, RATE, one->damaged ? "%.1e" : "0", rate(soak, one));
        table_cell(&table, BOUND, "%.1e", worst_rate(soak, one));
    }
    table_print(&table, stdout, soak->list.count, terminal_width(STDOUT_FILENO));
    table_end(&table);
}

static void print_json(const struct soak *soak)
{
    cJSON *object = report_object("soak"), *links = cJSON_AddArrayToObject(object, "links");
    cJSON_AddNumberToObject(object, "bits_per_second", link_list_bit_rate(&soak->list));
    cJSON_AddNumberToObject(object, "tested_seconds", soak->tested);
    for (size_t i = 0; i < soak->list.count; i++) {
        const struct one_link *one = &soak->list.links[i];
        cJSON *entry = link_list_json(&soak->list, one);
        cJSON_AddItemToArray(links, entry);
        cJSON_AddNumberToObject(entry, "trained_again", (double)one->trained);
        if (!is_tested(soak, one))
            continue;
        cJSON_AddNumberToObject(entry, "damaged_frames", (double)one->damaged);
        cJSON_AddNumberToObject(entry, "tested_bits", tested_bits(soak));
        cJSON_AddNumberToObject(entry, "bit_error_rate", rate(soak, one));
        cJSON_AddNumberToObject(entry, "bit_error_rate_below", worst_rate(soak, one));
    }
    report_print(object, false);
}

static void show(struct soak *soak)
{
    link_list_sort(&soak->list, false);
    if (soak->options->common.json)
        print_json(soak);
    else
        print_table(soak);
}

static int verdict(const struct soak *soak, int status)
{
    for (size_t i = 0; i < soak->list.count && status == EXIT_OK; i++)
        status = soak->list.links[i].trained ? EXIT_MISMATCH : EXIT_OK;
    return status;
}

static int run(const struct options *options)
{
    struct gateway gateway;
    struct soak soak = {.options = (const struct soak_options *)(const void *)options};
    int status = link_list_open(&soak.list, &gateway, options);
    if (status != EXIT_OK && status != EXIT_PARTIAL)
        return status;
    status = test(&soak);
    if (status == EXIT_OK || status == EXIT_PARTIAL || status == EXIT_INTERRUPTED)
        show(&soak);
    status = verdict(&soak, link_list_verdict(&soak.list, status));
    link_list_close(&soak.list);
    return status;
}

static const struct option_row rows[] = {
    {.name = "seconds",
     .letter = 's',
     .kind = OPTION_SECONDS,
     .argument = "SECONDS",
     OPTION_FIELD(struct soak_options, seconds),
     .minimum = 1,
     .initial = "10",
     .help = "test for so long"},
    {.name = NULL},
};

static const char manual[] =
    "Counts the damaged frames of all links at once, and prints how many bits were looked at, the rate of bit "
    "errors and a bound for it: the truth is below it with a confidence of 95 %, if bit errors come one by one. "
    "Without a damaged frame the bound is 3 / n for n bits. Every link sends frames all the time, so the test needs"
    " no traffic and disturbs none. It ends early at control-C, with the result so far. The exit code is 3 if a "
    "link of the mesh is down, or was during the test, or leads to a board that is not its neighbour in the mesh. "
    "Links inside of an FPGA and those of a simulated mesh have no frames; if no link has, the exit code is 1.";

static const struct json_key keys[] = {
    LINK_LIST_KEYS,
    {"tested_seconds", "seconds", "how long frames were counted"},
    {"links[].trained_again", "number", "how often the link came up during the test"},
    {"links[].damaged_frames", "number", "during the test; here and below: of links that were up all the time"},
    {"links[].tested_bits", "bits", "of frames that were looked at"},
    {"links[].bit_error_rate", "number", "damaged frames for each bit"},
    {"links[].bit_error_rate_below", "number", "bound with a confidence of 95 %"},
    {NULL, NULL, NULL},
};

const struct verb verb_soak = {
    .name = "soak",
    .operands = "[SITES]",
    .summary = "The rate of bit errors of each link between boards, with a bound.",
    .manual = manual,
    .operands_max = 1,
    .operand_words = {"all"},
    .common = COMMON_ASK,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct soak_options),
    .run = run,
};
