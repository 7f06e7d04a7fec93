/* See lan_backlog.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wormlan/lan_backlog.h"

#include <math.h>

#include "support/or_abort.h"

struct source {
    uint64_t ready; /* when its host has the next multicast */
    unsigned open;  /* copies of this one that have not left */
};

struct backlog {
    const struct lan_groups *groups;
    struct lan_backlog_options options;
    struct lan_hosts *hosts;
    struct source *sources;
    double sent, received; /* bytes */
};

static bool is_measured(const struct backlog *backlog)
{
    return lan_network_now(lan_hosts_network(backlog->hosts)) >= backlog->options.warm_up;
}

static void delivered(void *context, unsigned host, const struct lan_message *message)
{
    struct backlog *backlog = context;
    (void)host;
    if (is_measured(backlog))
        backlog->received += message->length;
}

static void due(void *context, unsigned host)
{
    struct backlog *backlog = context;
    const struct lan_groups *groups = backlog->groups;
    const struct lan_backlog_options *options = &backlog->options;
    struct lan_message message = {
        .length = options->length, .group = groups->joined[host * groups->count], .origin = (uint16_t)host};
    uint64_t now = lan_network_now(lan_hosts_network(backlog->hosts));
    unsigned leader = lan_member(groups, (unsigned)message.group, 0);
    backlog->sources[host].ready = now + (uint64_t)ceil(options->worm_time + options->byte_time * options->length);
    backlog->sources[host].open = groups->orders && host != leader
                                      ? 1
                                      : lan_branch(groups, (unsigned)message.group, host, host)->count;
    if (is_measured(backlog))
        backlog->sent += options->length;
    lan_hosts_multicast(backlog->hosts, &message);
}

static void left(void *context, unsigned host)
{
    struct backlog *backlog = context;
    struct source *source = &backlog->sources[host];
    uint64_t next = lan_network_now(lan_hosts_network(backlog->hosts)) + 1;
    if (source->open > 0 && --source->open == 0)
        lan_hosts_alarm(backlog->hosts, source->ready > next ? source->ready : next, host);
}

void lan_backlog(const struct lan_groups *groups, const struct lan_hosts_options *hosts,
                 const struct lan_backlog_options *options, struct lan_backlog_figures *figures)
{
    static const struct lan_hosts_listener listener = {delivered, due, left};
    struct backlog backlog = {.groups = groups, .options = *options};
    backlog.hosts = lan_hosts_create(groups, hosts, &listener, &backlog);
    backlog.sources = or_abort(calloc(options->sources, sizeof *backlog.sources));
    for (unsigned host = 0; host < options->sources; host++)
        lan_hosts_alarm(backlog.hosts, 0, host);
    lan_network_run(lan_hosts_network(backlog.hosts), options->warm_up + options->measured);
    const struct lan_hosts_counts *counts = lan_hosts_counts(backlog.hosts);
    double refused = (double)counts->refused, time = (double)options->measured;
    *figures = (struct lan_backlog_figures){.sent = backlog.sent / time / options->sources,
                                            .received = backlog.received / time / groups->graph->hosts,
                                            .refused = refused > 0 ? refused / (refused + (double)counts->taken) : 0,
                                            .stands_still = lan_network_is_quiet(lan_hosts_network(backlog.hosts))};
    lan_hosts_free(backlog.hosts);
    free(backlog.sources);
}
