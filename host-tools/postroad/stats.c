/* postroad stats: shows the counters of every site and of every link, the worst first. Reading the counters costs
 * packets itself.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "postroad/stats.h"
#include "cli/pipelined_requests.h"
#include "cli/report.h"
#include "cli/screen.h"
#include "cli/terminal.h"
#include "postroad/verbs.h"
#include "support/or_abort.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIVE_OVERHEAD = 15 /* lines of a live picture that are no rows of tables */ };

static void count_request(void *context, unsigned site)
{
    const struct stats *stats = context;
    stats->rows[site].asked++;
}

static void take_counters(void *context, const struct pr_message_counters *counters)
{
    const struct stats *stats = context;
    struct stats_row *row = &stats->rows[counters->site];
    memcpy(row->counters + counters->first, counters->values, counters->count * sizeof *counters->values);
    row->chunks++;
}

static void make_requests(struct stats *stats)
{
    stats->requests = (struct counter_requests){
        .label = "stats", .context = stats, .asks = count_request, .take = take_counters};
    counter_requests_add_all(&stats->requests, stats->gateway, stats->ports);
}

/* The sites that have answered for the first chunk. */
static void keep_answering(struct stats *stats)
{
    size_t kept = 0;
    for (size_t i = 0; i < stats->asked.count; i++)
        if (stats->rows[stats->asked.sites[i]].chunks)
            stats->asked.sites[kept++] = stats->asked.sites[i];
    stats->asked.count = kept;
}

/* A silent site is asked for the first chunk only: each request to it takes up a place in the gateway's window. */
static int ask_all(struct gateway *gateway, struct stats *stats, struct pipelined_requests *first,
                   struct pipelined_requests *rest)
{
    stats->asked = (struct site_set){.count = stats->set.count,
                                     .sites = or_abort(calloc(stats->set.count, sizeof(uint16_t)))};
    memcpy(stats->asked.sites, stats->set.sites, stats->set.count * sizeof(uint16_t));
    int status = counter_requests_run(&stats->requests, gateway, &stats->asked, 0, 1, first);
    if (status == EXIT_OK) {
        keep_answering(stats);
        status = counter_requests_run(&stats->requests, gateway, &stats->asked, 1, stats->requests.chunk_count - 1,
                                      rest);
    }
    site_set_free(&stats->asked);
    return status;
}

/* Updates the picture in place on a terminal: every line is cut off, and the picture is at most as high as the
 * screen. */
static void draw(const struct stats *stats)
{
    char *text = NULL, *picture = NULL, *rest, *line;
    size_t size = 0;
    int height = terminal_height(STDOUT_FILENO), lines = height > LIVE_OVERHEAD ? height - LIVE_OVERHEAD : 2;
    FILE *out = or_abort(open_memstream(&text, &size));
    stats_show(stats, out, (size_t)lines / 2);
    fclose(out);
    out = or_abort(open_memstream(&picture, &size));
    fputs("\033[H", out);
    for (rest = text; (line = strsep(&rest, "\n")) && rest && --height > 0;)
        fprintf(out, "%s\033[K\n", line); /* numbers, and their styles */
    fputs("\033[J", out);
    fclose(out);
    screen_control(stdout, picture);
    free(picture);
    free(text);
}

static bool is_live(const struct stats_options *options)
{
    return options->again >= 0 && !options->common.json && terminal_can_draw(STDOUT_FILENO);
}

static void show(const struct stats *stats)
{
    if (stats->options->common.json)
        stats_show_json(stats);
    else if (is_live(stats->options))
        draw(stats);
    else
        stats_show(stats, stdout, 0);
    fflush(stdout);
}

static int read_and_show(struct gateway *gateway, struct stats *stats)
{
    struct pipelined_requests first, rest;
    memset(stats->rows, 0, (size_t)stats->gateway->mesh.sites * sizeof *stats->rows);
    int status = ask_all(gateway, stats, &first, &rest);
    if (status != EXIT_OK)
        return status;
    show(stats);
    if (first.refused + rest.refused)
        report_error("stats", "%zu requests refused: %s", first.refused + rest.refused,
                     pr_message_status_text(first.refused ? first.refusal : rest.refusal));
    status = pipelined_requests_exit_code(&first);
    return status == EXIT_OK ? pipelined_requests_exit_code(&rest) : status;
}

/* Repeats until a signal, a lost connection, or the end of all readers of standard output. */
static int repeat(struct gateway *gateway, struct stats *stats, struct stats_row *other)
{
    int status;
    do {
        double end = pr_client_now() + stats->options->again;
        struct stats_row *last = stats->rows;
        status = gateway_wait_until(gateway, end);
        if (status != EXIT_OK)
            return status;
        stats->rows = other;
        stats->before = other = last;
        status = read_and_show(gateway, stats);
    } while (status == EXIT_OK || status == EXIT_PARTIAL);
    return status;
}

static int show_tables(struct gateway *gateway, struct stats *stats)
{
    size_t sites = (size_t)gateway->mesh.sites;
    struct stats_row *rows = or_abort(calloc(2 * sites, sizeof *rows));
    stats->rows = rows;
    make_requests(stats);
    if (is_live(stats->options))
        screen_control(stdout, "\033[2J");
    int status = read_and_show(gateway, stats);
    if (stats->options->again >= 0 && (status == EXIT_OK || status == EXIT_PARTIAL))
        status = repeat(gateway, stats, rows + sites);
    free(rows);
    return status;
}

static int run(const struct options *options)
{
    struct gateway gateway;
    struct stats_options chosen = *(const struct stats_options *)(const void *)options;
    chosen.common.quiet = options->quiet || is_live(&chosen); /* progress would go through the picture */
    struct stats stats = {.gateway = &gateway, .options = &chosen};
    int status = gateway_open_sites(&gateway, &chosen.common, &stats.set);
    if (status != EXIT_OK)
        return status;
    stats.ports = (unsigned)gateway.mesh.links + 1;
    status = show_tables(&gateway, &stats);
    gateway_close_sites(&gateway, &stats.set);
    return status;
}

static const struct option_row rows[] = {
    {.name = "watch",
     .letter = 'w',
     .kind = OPTION_SECONDS_OPTIONAL,
     .argument = "SECONDS",
     OPTION_FIELD(struct stats_options, again),
     .otherwise = "2",
     .help = "again every so many seconds, with what was added since",
     .manual =
         "Prints the tables again every so many seconds, with what was added since the last "
         "table. On a terminal the tables stay in place. The column `own` has the packets that a site has sent because "
         "of the requests for the last table, so that `sent` of an idle mesh is as much."},
    {.name = "full",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct stats_options, full),
     .help = "every output of a site, not only the worst 20"},
    {.name = "wide",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct stats_options, wide),
     .help = "every column in which some site has more than a zero, however wide the table becomes"},
    {.name = NULL},
};

static const struct stats_options defaults = {.again = -1};

static const char manual[] =
    "Prints the counters of <SITES> (all by default) and of their outputs, the worst first: dropped words and "
    "targets given up, then stalls, then repeated work. A table is at most as wide as the terminal (80 columns "
    "without a terminal). Columns with zeroes only are left out, and then the columns that matter least.\n"
    "In a reliable mesh `time-outs` counts packets that were sent again after a time-out, `aborts` packets that "
    "the fabric aborted, and `resent after abort` packets that were sent again for that reason. `dups` counts "
    "duplicates that the duplicate filter refused, `acks` packets that carried nothing but an acknowledgement, "
    "and `piggyback` acknowledgements that data packets carried. `no buffer` counts packets that the "
    "network_interface discarded because no buffer was posted, `foreign` packets of other sites that were "
    "discarded to keep a buffer for receiving, and `failed` targets that were given up. `restarts` counts peers "
    "that were found restarted, `win full` sends that were refused because the send window was full, and `no "
    "answer` answers to requests that were lost.\n"
    "Below the tables the verb names the sites that are short of buffers (so few were free that one had to be "
    "kept for receiving), the sites that received packets faster than their operators posted buffers (more than "
    "one packet in ten was discarded), and the sites that have given up targets. The requests of `map` and "
    "`stats` are paced so that they cause none of this on an idle mesh. Requests that a silent site does not "
    "answer do not count as given up.";

static const struct json_key keys[] = {
    {"since_last", "true or false", "the counters are those since the last table (`--watch`)"},
    {"reliable", "true or false", "the mesh has the reliable service"},
    {"sites[].site", "site", "the site"},
    {"sites[].answers", "true or false", "the site answered; the keys below are there only then"},
    {"sites[].own_packets", "packets", "`--watch`: of sent_packets, those that the requests of this verb have caused"},
    {"sites[].short_of_buffers", "true or false", "so few buffers were free that one had to be kept for receiving"},
    {"sites[].overrun", "true or false", "more than one packet in ten was discarded"},
    {"sites[].COUNTER", "number", "every counter of one word, by the name that `hw/protocol/registers.ini` has for it"},
    {"links[].site", "site", "the site"},
    {"links[].output", "text", "its output; `local`: its own port"},
    {"links[].to", "site", "the neighbour; not for `local`"},
    {"links[].words", "words", "sent through this output"},
    {"links[].stalls", "clocks", "in which a word waited"},
    {"links[].drops", "words", "dropped at the input of this link"},
    {NULL, NULL, NULL},
};

const struct verb verb_stats = {
    .name = "stats",
    .operands = "[SITES]",
    .summary = "Counters of sites and links, of all or some, the worst first.",
    .manual = manual,
    .operands_max = 1,
    .operand_words = {"all"},
    .common = COMMON_ASK,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct stats_options),
    .defaults = &defaults,
    .run = run,
};
