/* See lan_run.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wormlan/lan_run.h"

#include <math.h>

#include "support/or_abort.h"
#include "support/random.h"

enum { BATCHES = 15, DRAIN_STEPS = 50 };

/* A run is not stable if so large a part of the counted worms had not come to all, or if at its end more copies than
 * these waited for each host and less than so much of the load had been carried. */
static const double unfinished_most = 0.01, unsent_most = 2, carried_least = 0.97;

struct mean {
    double sum, count;
};

struct run {
    const struct lan_groups *groups;
    struct lan_run_options options;
    struct lan_hosts *hosts;
    struct random *randoms; /* a host each */
    double *next;           /* when a host generates its next worm */
    double rate;            /* worms of a host in a byte time */
    struct mean latency, completion, unicasts, batches[BATCHES];
    double counted, multicasts, finished;
};

static void add(struct mean *mean, double value)
{
    mean->sum += value;
    mean->count++;
}

static double mean_of(const struct mean *mean)
{
    return mean->count > 0 ? mean->sum / mean->count : NAN;
}

static double share(double part, double rest)
{
    return part + rest > 0 ? part / (part + rest) : NAN;
}

static void delivered(void *context, unsigned host, const struct lan_message *message)
{
    struct run *run = context;
    double latency = (double)lan_network_now(lan_hosts_network(run->hosts)) - message->born;
    (void)host;
    if (!message->counted)
        return;
    run->finished += message->pending == 0;
    if (message->group == LAN_NOWHERE) {
        add(&run->unicasts, latency);
        return;
    }
    double since = message->born - (double)run->options.warm_up;
    add(&run->latency, latency);
    add(&run->batches[(unsigned)(since * BATCHES / (double)run->options.measured)], latency);
    if (message->pending == 0)
        add(&run->completion, latency);
}

static void generate(struct run *run, unsigned host, double born)
{
    struct random *random = &run->randoms[host];
    const struct lan_groups *groups = run->groups;
    unsigned joined = groups->joined_count[host], hosts = groups->graph->hosts;
    double since = born - (double)run->options.warm_up;
    struct lan_message message = {.born = born, .group = LAN_NOWHERE, .origin = (uint16_t)host};
    message.length = (unsigned)random_geometric(random, 1 / run->options.length);
    message.counted = since >= 0 && since < (double)run->options.measured;
    bool multicast = random_unit(random) < run->options.share && joined > 0;
    unsigned drawn = random_below(random, multicast ? joined : hosts - 1);
    run->counted += message.counted;
    if (multicast) {
        message.group = groups->joined[host * groups->count + drawn];
        run->multicasts += message.counted;
        lan_hosts_multicast(run->hosts, &message);
    } else {
        lan_hosts_unicast(run->hosts, &message, drawn + (drawn >= host));
    }
}

static void wait_for_next(struct run *run, unsigned host)
{
    run->next[host] += -log1p(-random_unit(&run->randoms[host])) / run->rate;
    lan_hosts_alarm(run->hosts, (uint64_t)ceil(run->next[host]), host);
}

static void due(void *context, unsigned host)
{
    struct run *run = context;
    generate(run, host, run->next[host]);
    wait_for_next(run, host);
}

static double bytes_sent(const struct run *run)
{
    double bytes = 0;
    for (unsigned host = 0; host < run->groups->graph->hosts; host++)
        bytes += (double)lan_network_bytes(lan_hosts_network(run->hosts), host);
    return bytes;
}

static double error_of(const struct run *run)
{
    double sum = 0, squares = 0, count = 0;
    for (unsigned i = 0; i < BATCHES; i++) {
        if (run->batches[i].count == 0)
            continue;
        double mean = mean_of(&run->batches[i]);
        sum += mean;
        squares += mean * mean;
        count++;
    }
    return count > 1 ? sqrt(fmax(squares / count - sum * sum / count / count, 0) / (count - 1)) : NAN;
}

static void fill(struct run *run, struct lan_figures *figures)
{
    const struct lan_graph *graph = run->groups->graph;
    const struct lan_hosts_counts *counts = lan_hosts_counts(run->hosts);
    struct lan_network *network = lan_hosts_network(run->hosts);
    double copies = (double)counts->copies, multicast_copies = (double)counts->multicast_copies;
    figures->latency = mean_of(&run->latency);
    figures->latency_error = error_of(run);
    figures->completion = mean_of(&run->completion);
    figures->unicast_latency = mean_of(&run->unicasts);
    figures->share_sent = share(multicast_copies, copies - multicast_copies);
    figures->switches = (double)counts->switches / copies;
    figures->cut_through = share((double)counts->cut_through, (double)counts->stored);
    figures->unfinished = run->counted > 0 ? 1 - run->finished / run->counted : NAN;
    figures->longest_queue = counts->longest_queue;
    figures->refused = (double)counts->refused / multicast_copies;
    figures->multicasts = run->multicasts;
    figures->events = (double)lan_network_events(network);
    figures->bytes = bytes_sent(run);
    for (unsigned link = 0; link < graph->link_count; link++)
        figures->slack = fmax(figures->slack, lan_network_slack_used(network, link));
    figures->stable = figures->unfinished <= unfinished_most &&
                      (figures->unsent <= unsent_most || figures->carried >= carried_least * run->options.load);
}

static void simulate(struct run *run, struct lan_figures *figures)
{
    const struct lan_run_options *options = &run->options;
    struct lan_network *network = lan_hosts_network(run->hosts);
    uint64_t end = options->warm_up + options->measured, step = options->drain / DRAIN_STEPS + 1;
    unsigned hosts = run->groups->graph->hosts;
    lan_network_run(network, options->warm_up);
    double before = bytes_sent(run);
    lan_network_run(network, end);
    figures->carried = (bytes_sent(run) - before) / ((double)options->measured * hosts);
    figures->unsent = (double)lan_hosts_waiting(run->hosts) / hosts;
    for (uint64_t time = end; run->finished < run->counted && time < end + options->drain;) {
        time += step;
        lan_network_run(network, time);
    }
}

void lan_run(const struct lan_groups *groups, const struct lan_hosts_options *hosts,
             const struct lan_run_options *options, struct lan_figures *figures)
{
    static const struct lan_hosts_listener listener = {delivered, due, NULL};
    struct lan_traffic_means means = lan_groups_means(groups, options->share, options->length);
    struct run run = {.groups = groups, .options = *options, .rate = options->load / means.bytes};
    *figures = (struct lan_figures){
        .share_expected = share(means.multicast_copies, means.copies - means.multicast_copies),
        .copies = means.copies,
        .multicast_switches = means.multicast_switches};
    run.hosts = lan_hosts_create(groups, hosts, &listener, &run);
    run.randoms = or_abort(calloc(groups->graph->hosts, sizeof *run.randoms));
    run.next = or_abort(calloc(groups->graph->hosts, sizeof *run.next));
    for (unsigned host = 0; host < groups->graph->hosts; host++) {
        random_seed(&run.randoms[host], options->seed, host);
        wait_for_next(&run, host);
    }
    simulate(&run, figures);
    fill(&run, figures);
    lan_hosts_free(run.hosts);
    free(run.randoms);
    free(run.next);
}
