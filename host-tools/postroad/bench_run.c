/* The orders of `postroad bench` to traffic evaluators (firmware/traffic), and what their reports say.
 *
 * An order is a packet from the gateway's site, the report a packet to it. An order that comes twice does what it does
 * once, so that it is repeated without harm. A site gets orders for some seconds at a time: it stops by itself if this
 * program dies.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/bench.h"

#include "cli/pipelined_requests.h"
#include "cli/report.h"
#include "daemon/daemon_requests.h"
#include "support/install_paths.h"
#include "support/or_abort.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TRIES = 4,          /* of an order, within the time-out */
    BEGIN_TRIES = 3,    /* orders to begin that a site with an evaluator does not leave unanswered */
    ASKED_MOST = 4,     /* orders on the way to the gateway's node */
    AHEAD_LEAST = 4096, /* packets that a site may send until the next order, at least */
    AHEAD = 8,          /* times what it has sent since the last one */
    PAUSE = 8,          /* times what a round of orders took: a tenth of the time goes to them */
    CALM_ROUNDS = 3,    /* without a packet: what has not come then is lost, if no operator has it */
    HALF_BITS = 16,
    HALF_MASK = 0xffff,
    SET_TEXT_SIZE = 160,
    PATH_SIZE = 4096
};

static const double pause_least = 0.02, pause_most = 1;
static const double full_time = 0.01; /* until a node that had no room is asked again, and between two looks */
static const double calm_time = 0.3;
static const double stop_time = 2; /* for the sites to say that they have stopped */

static uint32_t long_word(const uint32_t *words)
{
    return words[0] | words[1] << HALF_BITS;
}

static bool read_report(const struct pr_message_delivery *delivery, struct bench_report *out)
{
    const uint32_t *words = delivery->data;
    if (delivery->handler != PR_HANDLER_ORDERS || delivery->data_words < PR_TRAFFIC_REPORT_TRIPS ||
        words[PR_TRAFFIC_KIND] != PR_TRAFFIC_KIND_REPORT)
        return false;
    *out = (struct bench_report){.tag = words[PR_TRAFFIC_TAG],
                                 .number = words[PR_TRAFFIC_REPORT_NUMBER],
                                 .room = words[PR_TRAFFIC_REPORT_ROOM],
                                 .measured = words[PR_TRAFFIC_REPORT_MEASURED],
                                 .sent = long_word(words + PR_TRAFFIC_REPORT_SENT),
                                 .received = long_word(words + PR_TRAFFIC_REPORT_RECEIVED),
                                 .first = long_word(words + PR_TRAFFIC_REPORT_FIRST),
                                 .last = long_word(words + PR_TRAFFIC_REPORT_LAST),
                                 .trips = (delivery->data_words - PR_TRAFFIC_REPORT_TRIPS) / 2,
                                 .halves = words + PR_TRAFFIC_REPORT_TRIPS};
    return true;
}

static void add_trip(struct bench_pair *pair, uint32_t clocks)
{
    if (pair->trips.count)
        pair->differences += fabs((double)clocks - (double)pair->trip);
    pair->trip = clocks;
    pair->taken++;
    statistics_add(&pair->trips, clocks);
}

static void take_report(struct bench_site *site, const struct bench_report *report)
{
    site->answered = true;
    site->report = *report;
    site->report.halves = NULL;
    for (unsigned k = 0; site->sends && k < report->trips; k++)
        add_trip(site->sends, long_word(report->halves + 2 * k));
    if (site->sends)
        site->sends->sent = report->sent;
    if (site->about)
        site->about->received = report->received;
    if (report->first == report->last && report->first == 0)
        return;
    site->clocks += report->last - (site->clocks ? site->last : report->first);
    site->last = report->last;
}

static void take_event(void *context, const struct pr_frame *frame)
{
    static struct pr_message_delivery delivery; /* large */
    struct bench *bench = context;
    struct bench_report report;
    if (frame->type != PR_CONSOLE_DELIVERED || !pr_message_read_delivery(frame, &delivery) ||
        !read_report(&delivery, &report) || report.number != bench->number)
        return;
    for (size_t k = 0; k < bench->site_count; k++) {
        struct bench_site *site = &bench->sites[k];
        if (site->site != delivery.source || site->answered)
            continue;
        if (report.tag == bench->tag)
            take_report(site, &report);
        else
            site->trouble = BENCH_RESTARTED;
    }
}

static void put_long(uint32_t *words, uint32_t value)
{
    words[0] = value & HALF_MASK;
    words[1] = value >> HALF_BITS;
}

static void make_order(const struct bench *bench, const struct bench_site *site, struct pr_frame *out)
{
    const struct bench_pair *pair = site->sends;
    uint32_t words[PR_TRAFFIC_ORDER_WORDS] = {[PR_TRAFFIC_KIND] = bench->kind,
                                              [PR_TRAFFIC_TAG] = bench->tag,
                                              [PR_TRAFFIC_ORDER_NUMBER] = bench->number,
                                              [PR_TRAFFIC_ORDER_TARGET] = pair ? pair->target->site : site->site,
                                              [PR_TRAFFIC_ORDER_LENGTH] = (uint32_t)bench->options->length,
                                              [PR_TRAFFIC_ORDER_TAKEN] = pair ? pair->taken : 0,
                                              [PR_TRAFFIC_ORDER_ABOUT] = site->about ? site->about->source->site
                                                                                     : site->site};
    const uint16_t target = (uint16_t)site->site;
    struct pr_message_send packet = {.handler = PR_HANDLER_TRAFFIC,
                                     .targets = 1,
                                     .sites = &target,
                                     .data_words = PR_TRAFFIC_ORDER_WORDS,
                                     .data = words,
                                     .halves = true};
    put_long(words + PR_TRAFFIC_ORDER_GAP, (uint32_t)bench->options->gap);
    put_long(words + PR_TRAFFIC_ORDER_UNTIL, pair ? pair->until : 0);
    pr_message_send(out, &packet);
}

/* The node of the gateway has accepted an order, or has no room, or is silent. */
static void take_answer(void *context, const struct pr_frame *frame)
{
    struct bench_site *site = context;
    site->due = pr_client_now() + full_time;
    site->stage = frame && pr_message_status(frame) == PR_CONSOLE_OK ? BENCH_ACCEPTED : BENCH_DUE;
}

static bool waits(const struct bench_site *site)
{
    return site->trouble == BENCH_WELL && !site->answered;
}

/* Hands out orders that are due, a few at a time. */
static int hand_out(struct bench *bench, double end)
{
    unsigned asked = pr_client_outstanding(bench->gateway->client);
    double now = pr_client_now();
    int status = PR_CLIENT_OK;
    struct pr_frame request;
    for (size_t k = 0; k < bench->site_count && asked < ASKED_MOST && status == PR_CLIENT_OK; k++) {
        struct bench_site *site = &bench->sites[k];
        if (!waits(site) || site->stage != BENCH_DUE || now < site->due)
            continue;
        make_order(bench, site, &request);
        site->stage = BENCH_ASKED;
        asked++;
        status = pr_client_request(bench->gateway->client, &request, fmax(end - now, full_time), take_answer, site);
    }
    return status;
}

/* Until all orders are with the gateway's node, if `only_hand` is set, else until they are answered. */
static bool is_done(const struct bench *bench, bool only_hand)
{
    bool done = true;
    for (size_t k = 0; k < bench->site_count; k++)
        done &= !waits(&bench->sites[k]) || (only_hand && bench->sites[k].stage == BENCH_ACCEPTED);
    return done;
}

static int exchange(struct bench *bench, double end, bool only_hand)
{
    struct pr_client *client = bench->gateway->client;
    int status = PR_CLIENT_OK;
    for (size_t k = 0; k < bench->site_count; k++)
        bench->sites[k].stage = BENCH_DUE, bench->sites[k].due = 0;
    while (status == PR_CLIENT_OK && !is_done(bench, only_hand) && pr_client_now() < end) {
        status = hand_out(bench, end);
        if (status == PR_CLIENT_OK)
            status = pr_client_poll(&client, 1, fmin(end - pr_client_now(), full_time));
    }
    pr_client_give_up(client);
    return status == PR_CLIENT_OK ? EXIT_OK : gateway_failed(bench->gateway, status);
}

static void begin_round(struct bench *bench, unsigned kind)
{
    bench->kind = kind;
    bench->number = (bench->number + 1) & HALF_MASK;
    for (size_t k = 0; k < bench->site_count; k++)
        bench->sites[k].answered = false;
}

/* An order to every site, and its report. A site without one within `seconds` is silent. */
static int round_of_orders(struct bench *bench, double seconds)
{
    int status = EXIT_OK;
    begin_round(bench, PR_TRAFFIC_KIND_ORDER);
    for (int tries = 0; tries < TRIES && status == EXIT_OK && !is_done(bench, false); tries++)
        status = exchange(bench, pr_client_now() + seconds / TRIES, false);
    for (size_t k = 0; k < bench->site_count && status == EXIT_OK; k++)
        if (waits(&bench->sites[k]))
            bench->sites[k].trouble = BENCH_SILENT;
    return status;
}

static void ask_clock(void *context, size_t index, struct pr_frame *out)
{
    const struct bench *bench = context;
    pr_message_identify_part(out, bench->sites[index].site,
                             offsetof(struct pr_site_identity, clock_hz) / sizeof(uint32_t), 1);
}

static bool take_clock(void *context, size_t index, const struct pr_frame *frame)
{
    struct bench *bench = context;
    struct pr_site_identity identity = {0};
    unsigned site;
    if (!pr_message_read_identity_part(frame, &site, &identity) || site != bench->sites[index].site)
        return false;
    bench->sites[index].clock_hz = identity.clock_hz;
    return bench->sites[index].known = true;
}

static void ask_time_outs(void *context, size_t index, struct pr_frame *out)
{
    const struct bench *bench = context;
    pr_message_counters(out, bench->sites[index].site, PR_COUNTER_TIME_OUTS, 1);
}

static bool take_time_outs(void *context, size_t index, const struct pr_frame *frame)
{
    struct bench *bench = context;
    struct pr_message_counters counters;
    if (!pr_message_read_counters(frame, &counters) || counters.site != bench->sites[index].site || counters.count != 1)
        return false;
    bench->sites[index].resent = counters.values[0] - bench->sites[index].time_outs;
    return true;
}

static int ask_all(struct bench *bench, void (*request)(void *, size_t, struct pr_frame *),
                   bool (*answer)(void *, size_t, const struct pr_frame *))
{
    struct pipelined_requests requests = {.label = "bench",
                                          .count = bench->site_count,
                                          .window = PIPELINED_REQUESTS_WINDOW,
                                          .context = bench,
                                          .request = request,
                                          .answer = answer};
    return pipelined_requests_run(bench->gateway, &requests);
}

/* A node without an evaluator drops the order, and answers what is asked behind it. */
static int begin_sites(struct bench *bench)
{
    int status = EXIT_OK;
    begin_round(bench, PR_TRAFFIC_KIND_BEGIN);
    for (int tries = 0; tries < BEGIN_TRIES && status == EXIT_OK && !is_done(bench, false); tries++) {
        status = exchange(bench, pr_client_now() + bench->gateway->timeout, true);
        if (status == EXIT_OK)
            status = ask_all(bench, ask_clock, take_clock);
    }
    for (size_t k = 0; k < bench->site_count; k++) {
        struct bench_site *site = &bench->sites[k];
        site->idle_room = site->report.room;
        if (!site->known)
            site->trouble = BENCH_SILENT;
    }
    return status;
}

/* Names the sites with this trouble, or without an evaluator. The number of them. */
static size_t name_sites(const struct bench *bench, enum bench_trouble trouble, char text[SET_TEXT_SIZE])
{
    struct site_set set = {.sites = or_abort(calloc(bench->site_count, sizeof(uint16_t)))};
    for (size_t k = 0; k < bench->site_count; k++)
        if (bench->sites[k].trouble == trouble && (trouble != BENCH_WELL || !bench->sites[k].answered))
            set.sites[set.count++] = (uint16_t)bench->sites[k].site;
    site_set_text(&set, text, SET_TEXT_SIZE);
    free(set.sites);
    return set.count;
}

static int check_begun(const struct bench *bench)
{
    char text[SET_TEXT_SIZE], image[PATH_SIZE], error[PATH_SIZE];
    size_t count = name_sites(bench, BENCH_SILENT, text);
    if (count)
        return report_failure(EXIT_TIMEOUT, "bench", "site%s %s: no answer within %g s", count == 1 ? "" : "s", text,
                              bench->gateway->timeout);
    count = name_sites(bench, BENCH_WELL, text);
    if (!count)
        return EXIT_OK;
    if (install_paths_image(NULL, "firmware/traffic.elf", "firmware", image, sizeof image, error, sizeof error) != 0)
        snprintf(image, sizeof image, "traffic.elf");
    return report_failure(EXIT_MISMATCH, "bench",
                          "site%s %s run%s no traffic evaluator, expected one at both ends: postroad load %s %s",
                          count == 1 ? "" : "s", text, count == 1 ? "s" : "", text, image);
}

static int begin(struct bench *bench)
{
    struct pr_frame request, answer;
    pr_client_on_event(bench->gateway->client, take_event, bench);
    pr_message_listen(&request, PR_CONSOLE_LISTEN_DELIVERED);
    int status = gateway_ask(bench->gateway, &request, &answer, "listen");
    if (status == EXIT_OK)
        status = begin_sites(bench);
    if (status == EXIT_OK)
        status = check_begun(bench);
    if (status == EXIT_OK)
        status = ask_all(bench, ask_time_outs, take_time_outs);
    for (size_t k = 0; k < bench->site_count; k++) {
        bench->sites[k].time_outs = bench->sites[k].resent;
        bench->sites[k].resent = 0;
    }
    return status;
}

static bool is_well(const struct bench_pair *pair)
{
    return pair->source->trouble == BENCH_WELL && pair->target->trouble == BENCH_WELL;
}

static bool are_well(const struct bench *bench)
{
    bool well = true;
    for (size_t k = 0; k < bench->pair_count; k++)
        well &= is_well(&bench->pairs[k]);
    return well;
}

static uint32_t limit(const struct bench *bench)
{
    return bench->options->packets ? (uint32_t)bench->options->packets : UINT32_MAX - 1;
}

static bool is_sending(const struct bench *bench)
{
    bool sending = false;
    for (size_t k = 0; k < bench->pair_count; k++)
        sending |= is_well(&bench->pairs[k]) && bench->pairs[k].sent != limit(bench);
    return sending;
}

/* Each source may send for some seconds from now on; that of a pair in trouble stops. */
static void allow_more(struct bench *bench)
{
    for (size_t k = 0; k < bench->pair_count; k++) {
        struct bench_pair *pair = &bench->pairs[k];
        uint32_t ahead = (pair->sent - pair->before) * AHEAD;
        if (ahead < AHEAD_LEAST)
            ahead = AHEAD_LEAST;
        pair->until = limit(bench) - pair->sent < ahead ? limit(bench) : pair->sent + ahead;
        if (!is_well(pair))
            pair->until = 0;
        pair->before = pair->sent;
    }
}

static int stop_all(struct bench *bench, double seconds)
{
    for (size_t k = 0; k < bench->pair_count; k++)
        bench->pairs[k].until = 0;
    return round_of_orders(bench, seconds);
}

/* The targets are asked for the packets of their sources with this rank. */
static void ask_about(struct bench *bench, unsigned rank)
{
    for (size_t k = 0; k < bench->pair_count; k++)
        if (bench->pairs[k].rank == rank)
            bench->pairs[k].target->about = &bench->pairs[k];
}

static size_t packets_sent(const struct bench *bench)
{
    size_t sum = 0;
    for (size_t k = 0; k < bench->pair_count; k++)
        sum += bench->pairs[k].sent;
    return sum;
}

static void show_progress(struct progress *progress, const struct bench *bench, double began)
{
    size_t total = (size_t)bench->options->packets * bench->pair_count;
    if (bench->options->packets)
        progress_show(progress, packets_sent(bench), total);
    else
        progress_show(progress, (size_t)((pr_client_now() - began) * 10), (size_t)(bench->options->seconds * 10));
}

/* The time to the next order at most doubles, so that no source has sent all that it may before. */
static int pause_after(struct bench *bench, double round, double end, double *pause)
{
    *pause = fmin(fmin(2 * *pause, pause_most), fmax(round * PAUSE, pause_least));
    return gateway_wait_until(bench->gateway, fmin(end, pr_client_now() + *pause));
}

static int send_all(struct bench *bench)
{
    double began = pr_client_now(), end = bench->options->packets ? INFINITY : began + bench->options->seconds;
    double pause = pause_least;
    struct progress progress;
    int status = EXIT_OK;
    progress_begin(&progress, &bench->options->common, "bench", packets_sent(bench));
    while (status == EXIT_OK && is_sending(bench) && pr_client_now() < end) {
        double round = pr_client_now();
        allow_more(bench);
        status = round_of_orders(bench, bench->gateway->timeout);
        show_progress(&progress, bench, began);
        if (status == EXIT_OK && is_sending(bench))
            status = pause_after(bench, pr_client_now() - round, end, &pause);
    }
    progress_end(&progress);
    return status == EXIT_OK ? stop_all(bench, bench->gateway->timeout) : status;
}

/* One round for each source that a target has: what has been received of it, and more round trips. */
static int look_at_all(struct bench *bench)
{
    unsigned ranks = 0;
    int status = EXIT_OK;
    for (size_t k = 0; k < bench->site_count; k++)
        if (bench->sites[k].sources > ranks)
            ranks = bench->sites[k].sources;
    for (unsigned rank = 0; rank < ranks && status == EXIT_OK; rank++) {
        ask_about(bench, rank);
        status = round_of_orders(bench, bench->gateway->timeout);
    }
    return status;
}

/* All packets are there, or those that are not are lost as far as one can tell: no operator has one. In a raw mesh only
 * silence tells. */
static bool is_settled(const struct bench *bench, const struct bench_pair *pair, bool calm)
{
    bool empty = !bench->gateway->identity.reliable || pair->source->report.room >= pair->source->idle_room;
    return !is_well(pair) || pair->received >= pair->sent || (calm && empty);
}

static uint64_t packets_received(const struct bench *bench)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < bench->pair_count; k++)
        sum += bench->pairs[k].received;
    return sum;
}

static bool has_all(const struct bench *bench, bool calm)
{
    bool all = true;
    for (size_t k = 0; k < bench->pair_count; k++) {
        const struct bench_pair *pair = &bench->pairs[k];
        bool trips = pair->source->trouble != BENCH_WELL || pair->taken == (uint16_t)pair->source->report.measured;
        all &= is_settled(bench, pair, calm) && trips;
    }
    return all;
}

/* Until all has come, or nothing comes any more. */
static int await_rest(struct bench *bench)
{
    double moved = pr_client_now();
    unsigned calm = 0;
    int status = look_at_all(bench);
    while (status == EXIT_OK && !has_all(bench, calm >= CALM_ROUNDS) &&
           pr_client_now() < moved + bench->gateway->timeout) {
        uint64_t before = packets_received(bench);
        if (has_all(bench, true)) /* only packets are missing */
            status = gateway_wait_until(bench->gateway, pr_client_now() + calm_time);
        if (status == EXIT_OK)
            status = look_at_all(bench);
        calm = packets_received(bench) == before ? calm + 1 : 0;
        if (calm == 0)
            moved = pr_client_now();
    }
    return status;
}

static int measure(struct bench *bench)
{
    uint64_t before = 0, after = 0;
    double began = pr_client_now();
    const char *path = bench->gateway->endpoint.path;
    bench->simulated = bench->gateway->endpoint.kind == PR_ENDPOINT_UP && daemon_requests_clock(path, &before);
    ask_about(bench, 0);
    int status = send_all(bench);
    bench->seconds = pr_client_now() - began;
    if (bench->simulated && daemon_requests_clock(path, &after))
        bench->simulated_clocks = (double)(after - before);
    if (status == EXIT_OK)
        status = await_rest(bench);
    if (status == EXIT_OK && are_well(bench)) /* a silent one would be waited for */
        status = ask_all(bench, ask_time_outs, take_time_outs);
    for (size_t k = 0; k < bench->pair_count; k++)
        bench->pairs[k].target->received += bench->pairs[k].received;
    return status;
}

int bench_run(struct bench *bench)
{
    int status = begin(bench);
    if (status == EXIT_OK)
        status = measure(bench);
    if (status == EXIT_INTERRUPTED && stop_all(bench, fmin(stop_time, bench->gateway->timeout)) != EXIT_OK)
        report_error("bench", "sites may go on to send, %d packets or for eight times as long as between two orders",
                     AHEAD_LEAST);
    return status;
}
