/* postroad bench: traffic between sites, made and counted by the sites themselves.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* flock */
#include "postroad/bench.h"

#include "cli/report.h"
#include "libpostroad/run_directory.h"
#include "postroad/verbs.h"
#include "support/or_abort.h"
#include "support/random.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { PACKETS_MOST = 1000000000, REPORT_WORDS = 1 + PR_HEADER_WORDS + PR_TRAFFIC_REPORT_TRIPS + 2 };

/* Packets carry one target and the operator's header, reports a round trip at least. */
static bool fits_mesh(const struct gateway *gateway)
{
    const struct bench_options *options = (const void *)gateway->options;
    long most = (long)gateway->identity.max_packet - 1 - PR_HEADER_WORDS;
    if (gateway->identity.max_packet < REPORT_WORDS) {
        report_error("bench",
                     "packets of this mesh have %u words at most, expected %d for the reports of the evaluators",
                     (unsigned)gateway->identity.max_packet, REPORT_WORDS);
        return false;
    }
    if (options->length > most)
        report_error("bench", "--length: %ld, expected %d to %ld data words in this mesh", options->length,
                     PR_TRAFFIC_WORDS, most);
    return options->length <= most;
}

/* A single target sends nothing to itself. */
static void leave_target_out(struct site_set *from, const struct site_set *to)
{
    size_t count = 0;
    for (size_t k = 0; k < from->count; k++)
        if (to->count > 1 || from->count == 1 || from->sites[k] != to->sites[0])
            from->sites[count++] = from->sites[k];
    from->count = count;
}

static bool are_pairs(const struct site_set *from, const struct site_set *to)
{
    if (to->count != 1 && to->count != from->count) {
        report_error("bench", "--to: %zu sites, expected one for all, or one for each of the %zu of --from", to->count,
                     from->count);
        return false;
    }
    for (size_t k = 0; k < from->count; k++)
        if (from->sites[k] == to->sites[to->count == 1 ? 0 : k]) {
            report_error("bench", "--to: site %u would send to itself, expected another target", from->sites[k]);
            return false;
        }
    return true;
}

static struct bench_site *site_of(struct bench *bench, unsigned number)
{
    size_t k = 0;
    while (k < bench->site_count && bench->sites[k].site != number)
        k++;
    if (k == bench->site_count)
        bench->sites[bench->site_count++] = (struct bench_site){.site = number};
    return &bench->sites[k];
}

static void make_pairs(struct bench *bench, const struct site_set *from, const struct site_set *to)
{
    bench->sites = or_abort(calloc(from->count + to->count, sizeof *bench->sites));
    bench->pairs = or_abort(calloc(from->count, sizeof *bench->pairs));
    for (size_t k = 0; k < from->count; k++) {
        struct bench_pair *pair = &bench->pairs[bench->pair_count++];
        pair->source = site_of(bench, from->sites[k]);
        pair->target = site_of(bench, to->sites[to->count == 1 ? 0 : k]);
        pair->source->sends = pair;
        pair->rank = pair->target->sources++;
        if (statistics_init(&pair->trips) != 0)
            abort();
    }
}

static void free_pairs(struct bench *bench)
{
    for (size_t k = 0; k < bench->pair_count; k++)
        statistics_free(&bench->pairs[k].trips);
    free(bench->pairs);
    free(bench->sites);
}

/* Two runs would count each other's packets. The lock goes with this process. */
static bool is_alone(const struct gateway *gateway)
{
    char path[GATEWAY_TEXT_SIZE + 8];
    if (gateway->endpoint.kind != PR_ENDPOINT_UP)
        return true;
    snprintf(path, sizeof path, "%s/log", gateway->endpoint.path);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0)
        return true;
    close(file);
    report_error("bench", "another bench runs in %s, expected one at a time", gateway->text);
    return false;
}

static bool has(const struct site_set *set, unsigned site)
{
    for (size_t k = 0; k < set->count; k++)
        if (set->sites[k] == site)
            return true;
    return false;
}

/* The orders go through the console of a site that takes no part, if there is one: its bytes cost a core much time. */
static int ask_bystander(struct gateway *gateway, const struct site_set *from, const struct site_set *to)
{
    struct pr_client *own = gateway->client;
    unsigned site = 0, sites = (unsigned)gateway->mesh.sites;
    if (gateway->endpoint.kind != PR_ENDPOINT_UP)
        return EXIT_OK;
    while (site < sites && (has(from, site) || has(to, site) || mesh_is_switch(&gateway->mesh, (int)site) ||
                            !pr_run_directory_has_console(gateway->endpoint.path, site)))
        site++;
    if (site == sites || site == gateway->identity.site)
        return EXIT_OK;
    int status = gateway_connect(gateway, (int)site, &gateway->client);
    if (status == EXIT_OK)
        pr_client_destroy(own);
    return status;
}

/* EXIT_TIMEOUT: nothing has come at all. */
static int verdict(const struct bench *bench)
{
    bool whole = true, any = false;
    for (size_t k = 0; k < bench->pair_count; k++) {
        const struct bench_pair *pair = &bench->pairs[k];
        whole &= pair->received == pair->sent && pair->source->trouble == BENCH_WELL &&
                 pair->target->trouble == BENCH_WELL;
        any |= pair->received > 0;
    }
    return whole ? EXIT_OK : any ? EXIT_PARTIAL : EXIT_TIMEOUT;
}

static int bench_pairs(struct gateway *gateway, const struct site_set *from, const struct site_set *to)
{
    struct bench bench = {.options = (const void *)gateway->options, .gateway = gateway};
    uint64_t state = (uint64_t)getpid() + (uint64_t)(pr_client_now() * 1e6);
    if (!is_alone(gateway))
        return EXIT_MISMATCH;
    int status = ask_bystander(gateway, from, to);
    if (status != EXIT_OK)
        return status;
    bench.tag = 1 + (unsigned)(random_split(&state) % UINT16_MAX);
    make_pairs(&bench, from, to);
    status = bench_run(&bench);
    if (status == EXIT_OK) {
        if (bench.options->common.json)
            bench_show_json(&bench);
        else
            bench_show(&bench);
        status = verdict(&bench);
    }
    free_pairs(&bench);
    return status;
}

static int bench_sites(struct gateway *gateway)
{
    const struct bench_options *options = (const void *)gateway->options;
    struct site_set from, to;
    int status = gateway_read_sites(gateway, "--from", options->from, &from);
    if (status != EXIT_OK)
        return status;
    status = gateway_read_sites(gateway, "--to", options->to, &to);
    if (status == EXIT_OK) {
        leave_target_out(&from, &to);
        status = are_pairs(&from, &to) && fits_mesh(gateway) ? bench_pairs(gateway, &from, &to) : EXIT_USAGE;
        site_set_free(&to);
    }
    site_set_free(&from);
    return status;
}

static int run(const struct options *options)
{
    const struct bench_options *own = (const void *)options;
    struct gateway gateway;
    if (!own->from || !own->to)
        return report_failure(EXIT_USAGE, "bench", "no --%s, expected the sites that %s: --%s SITES",
                              own->from ? "to" : "from", own->from ? "receive" : "send", own->from ? "to" : "from");
    int status = gateway_open(&gateway, options);
    if (status != EXIT_OK)
        return status;
    status = bench_sites(&gateway);
    gateway_close(&gateway);
    return status;
}

static const struct option_row rows[] = {
    {.name = "from",
     .kind = OPTION_TEXT,
     .argument = "SITES",
     OPTION_FIELD(struct bench_options, from),
     .expected = "sites: 3, 1,2,5-7 or all",
     .words = "all",
     .help = "the sites that send, all at once"},
    {.name = "to",
     .kind = OPTION_TEXT,
     .argument = "SITES",
     OPTION_FIELD(struct bench_options, to),
     .expected = "sites: 3, 1,2,5-7 or all",
     .words = "all",
     .help = "to whom: one site for each of --from, in the same order, or one for all",
     .manual =
         "The targets: one for each site of `--from`, in the same order, or one for all, which then sends nothing "
         "itself."},
    {.name = "seconds",
     .letter = 's',
     .kind = OPTION_SECONDS,
     .argument = "SECONDS",
     OPTION_FIELD(struct bench_options, seconds),
     .minimum = 1,
     .initial = "5",
     .help = "send for so long, on the clock of this computer"},
    {.name = "packets",
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct bench_options, packets),
     .minimum = 1,
     .maximum = PACKETS_MOST,
     .otherwise = "as many as --seconds has time for",
     .help = "send so many packets from each site, however long it takes"},
    {.name = "length",
     .kind = OPTION_NUMBER,
     .argument = "WORDS",
     OPTION_FIELD(struct bench_options, length),
     .minimum = PR_TRAFFIC_WORDS,
     .maximum = PR_MESSAGE_WORDS_MAX,
     .initial = "16",
     .help = "data words of a packet"},
    {.name = "gap",
     .kind = OPTION_NUMBER,
     .argument = "CLOCKS",
     OPTION_FIELD(struct bench_options, gap),
     .maximum = INT_MAX,
     .initial = "0",
     .help = "clocks from one packet of a site to its next one, at least"},
    {.name = NULL},
};

static const char manual[] =
    "Measures pairs of sites: data words a second, packets lost, and round trips, with minimum, mean, the 99th percentile and "
    "jitter, which is the mean difference between one round trip and the next. All pairs send at once. The traffic "
    "evaluators of the sites make and count the packets; no console takes part. Native sites have one. Cores and QEMU "
    "have one with the image `traffic.elf`, which is a node in all other respects: `postroad up MESH --firmware` "
    "build/firmware/traffic.elf, or `postroad load` where the mesh is up. A site without one is named, with the command.\n"
    "A round trip is from the source's send to the arrival of the answer, under the load of the run: packets wait in the "
    "send window of their source. `--gap` takes the load away; `ping` measures without any. One packet at a time is answered.\n"
    "The rate is that of the target's clocks from the first packet to the last. Clocks become microseconds by the site's "
    "own `clock_hz`. In a simulated mesh these are microseconds of simulated time, and the verb says how fast that passes.\n"
    "A packet is lost if the target has not got it when no operator has it any more; in a reliable mesh only if it was given "
    "up. `resent` counts packets that were sent again after a time-out. The exit status is 0 if every packet has "
    "arrived, 4 if some have or a site fell silent or restarted, 5 if none has, and 3 if a site has no evaluator or another "
    "bench runs in this mesh. When the verb is interrupted the sites stop. If it dies they stop by themselves, within 4096 "
    "packets or eight times the time from one order to the next.";

static const struct json_key keys[] = {
    {"data_words", "words", "in a packet"},
    {"gap_clocks", "clocks", "from one packet of a source to the next, at least"},
    {"seconds", "seconds", "that the sites sent, on the clock of this computer"},
    {"simulated", "true or false", "the mesh is simulated: rates and microseconds are of simulated time"},
    {"simulated_clocks_per_second", "clocks/s", "of the mesh, in a second of this computer; null: boards"},
    {"words_per_second", "words/s", "of all pairs; null: unknown"},
    {"pairs[].from", "site", "the source"},
    {"pairs[].to", "site", "the target"},
    {"pairs[].trouble", "text", "`silent` or `restarted`: one of the two sites, during the run; null: none"},
    {"pairs[].sent", "packets", "that the source's operator accepted"},
    {"pairs[].received", "packets", "that the target counted"},
    {"pairs[].lost", "packets", "sent and not received"},
    {"pairs[].resent", "packets", "sent again by the source after a time-out; 0 if a site of the run is in trouble"},
    {"pairs[].words_per_second", "words/s", "data words at the target; null: fewer than two packets, or no clock rate"},
    {"pairs[].clocks_per_packet", "clocks", "at the target, from one packet to the next; null: fewer than two packets"},
    {"pairs[].round_trips", "number", "round trips measured"},
    {"pairs[].round_trip_clocks.min", "clocks", "least round trip; null: none. So mean, p99 and jitter"},
    {"pairs[].round_trip_clocks.mean", "clocks", "mean round trip"},
    {"pairs[].round_trip_clocks.p99", "clocks", "99th percentile"},
    {"pairs[].round_trip_clocks.jitter", "clocks",
     "mean difference of two successive round trips; null: fewer than two"},
    {"pairs[].round_trip_us.min", "us", "the same in microseconds; null: the source does not say its clock rate"},
    {"pairs[].round_trip_us.mean", "us", "mean round trip"},
    {"pairs[].round_trip_us.p99", "us", "99th percentile"},
    {"pairs[].round_trip_us.jitter", "us", "jitter"},
    {NULL, NULL, NULL},
};

const struct verb verb_bench = {
    .name = "bench",
    .operands = "--from=SITES --to=SITES",
    .summary = "Words a second, round trips and losses between sites.",
    .manual = manual,
    .common = COMMON_TALK,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct bench_options),
    .run = run,
};
