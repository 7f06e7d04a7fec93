/* See stats.h: tables of sites and outputs, and the problems found.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/screen.h"
#include "cli/table.h"
#include "mesh/topology_view.h"
#include "postroad/stats.h"

#include "operator/operator.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    WORST_LINKS = 20,
};

/* Columns of the table of sites: site, own, then counters. */
#define SITE_COLUMNS(X)                                             \
    X("sent", 1, false, PR_COUNTER_SENT_PACKETS)                    \
    X("received", 3, false, PR_COUNTER_RECEIVED_PACKETS)            \
    X("delivered", 2, false, PR_COUNTER_DELIVERED)                  \
    X("failed", 1, true, PR_COUNTER_TARGETS_FAILED)                 \
    X("time-outs", 4, true, PR_COUNTER_TIME_OUTS)                   \
    X("aborts", 8, true, PR_COUNTER_ABORTS)                         \
    X("resent after abort", 9, true, PR_COUNTER_RESENT_AFTER_ABORT) \
    X("fallback", 12, true, PR_COUNTER_UNICAST_FALLBACKS)           \
    X("diverted", 10, true, PR_COUNTER_DIVERSIONS)                  \
    X("deferred", 10, true, PR_COUNTER_DEFERRALS)                   \
    X("forwarded", 13, true, PR_COUNTER_FORWARDED)                  \
    X("discarded", 6, true, PR_COUNTER_DISCARDED)                   \
    X("no buffer", 5, true, PR_COUNTER_RECEIVED_DISCARDED)          \
    X("foreign", 6, true, PR_COUNTER_FOREIGN_DISCARDED)             \
    X("dups", 11, true, PR_COUNTER_DUPLICATES)                      \
    X("restarts", 7, true, PR_COUNTER_PEERS_RESTARTED)              \
    X("win full", 14, true, PR_COUNTER_WINDOW_FULL)                 \
    X("no answer", 15, true, PR_COUNTER_ANSWERS_LOST)               \
    X("rx waits", 16, true, PR_COUNTER_RECEIVE_WAITS)               \
    X("tx waits", 17, true, PR_COUNTER_SENT_WAITS)                  \
    X("acks", 18, true, PR_COUNTER_ACKNOWLEDGEMENTS)                \
    X("carried", 19, true, PR_COUNTER_ACKNOWLEDGEMENTS_CARRIED)     \
    X("free", 4, false, PR_COUNTER_FREE_BUFFERS)                    \
    X("fewest", 3, false, PR_COUNTER_FEWEST_FREE_BUFFERS)

#define COLUMN(title, rank, if_not_zero, counter) {title, rank, if_not_zero, false},
static const struct table_column site_columns[] = {
    {"site", 0, false, false}, {"own", 2, true, false}, SITE_COLUMNS(COLUMN)};
enum { SITE_SITE, SITE_OWN, SITE_FIRST_COUNTER };

#define COUNTER(title, rank, if_not_zero, counter) counter,
static const unsigned site_counters[] = {SITE_COLUMNS(COUNTER)};

static const struct table_column link_columns[] = {
    {"site", 0, false, false},    {"output", 0, false, true},  {"to", 2, false, false},
    {"words", 1, false, false},   {"stalls", 1, false, false}, {"stalls/word", 4, false, false},
    {"drops in", 3, true, false},
};

enum { LINK_SITE, LINK_OUTPUT, LINK_TO, LINK_WORDS, LINK_STALLS, LINK_RATIO, LINK_DROPS };

static int width(const struct stats *stats)
{
    return stats->options->wide ? 0 : terminal_width(STDOUT_FILENO);
}

static enum style site_style(const struct stats *stats, size_t site)
{
    if (!stats_complete(stats, site) || stats_value(stats, site, PR_COUNTER_TARGETS_FAILED))
        return STYLE_BAD;
    return stats_short_of_buffers(stats, site) || stats_overrun(stats, site) ? STYLE_DOUBTFUL : STYLE_PLAIN;
}

static void add_site(const struct stats *stats, struct table *table, size_t site)
{
    table_row(table, site_style(stats, site));
    table_cell(table, SITE_SITE, "%zu", site);
    table_cell(table, SITE_OWN, "%u", stats_own(stats, site));
    if (!stats_complete(stats, site))
        table_cell(table, SITE_FIRST_COUNTER, "silent");
    for (size_t c = 0; c < sizeof site_counters / sizeof *site_counters && stats_complete(stats, site); c++)
        table_cell(table, SITE_FIRST_COUNTER + c, "%u", (unsigned)stats_value(stats, site, site_counters[c]));
}

static void show_rest(FILE *out, size_t shown, size_t all, const char *hint)
{
    if (shown < all)
        fprintf(out, "(%zu more%s)\n", all - shown, hint);
}

static void show_sites(const struct stats *stats, FILE *out, const uint16_t *sites, size_t lines)
{
    struct table table;
    size_t all = stats->set.count, shown = lines && lines < all ? lines : all;
    table_begin(&table, site_columns, sizeof site_columns / sizeof *site_columns);
    for (size_t i = 0; i < shown; i++)
        add_site(stats, &table, sites[i]);
    size_t left_out = table_print(&table, out, shown, width(stats));
    if (left_out)
        fprintf(out, "(%zu more column%s: --wide)\n", left_out, left_out == 1 ? "" : "s");
    show_rest(out, shown, all, "");
    table_end(&table);
}

static void add_link(const struct stats *stats, struct table *table, const struct stats_link *link)
{
    const struct mesh_config *mesh = &stats->gateway->mesh;
    table_row(table, link->drops ? STYLE_BAD : STYLE_PLAIN);
    table_cell(table, LINK_SITE, "%d", link->site);
    table_cell(table, LINK_OUTPUT, "%s", link->port ? mesh_link_name(mesh, link->port - 1) : "local");
    if (link->port)
        table_cell(table, LINK_TO, "%d", mesh_far_end(mesh, link->site, link->port - 1).site);
    else
        table_cell(table, LINK_TO, "-");
    table_cell(table, LINK_WORDS, "%u", (unsigned)link->words);
    table_cell(table, LINK_STALLS, "%u", (unsigned)link->stalls);
    table_cell(table, LINK_RATIO, "%.3f", link->words ? (double)link->stalls / link->words : 0);
    table_cell(table, LINK_DROPS, "%u", (unsigned)link->drops);
}

static void show_links(const struct stats *stats, FILE *out, size_t lines)
{
    struct table table;
    size_t count, most = lines ? lines : WORST_LINKS;
    struct stats_link *links = stats_rank_links(stats, &count);
    size_t shown = stats->options->full || count < most ? count : most;
    table_begin(&table, link_columns, sizeof link_columns / sizeof *link_columns);
    for (size_t i = 0; i < shown; i++)
        add_link(stats, &table, &links[i]);
    fputc('\n', out);
    table_print(&table, out, shown, width(stats));
    show_rest(out, shown, count, lines ? "" : ": --full");
    table_end(&table);
    free(links);
}

static void show_short(const struct stats *stats, FILE *out, size_t site)
{
    unsigned fewest = stats_value(stats, site, PR_COUNTER_FEWEST_FREE_BUFFERS);
    unsigned foreign = stats_value(stats, site, PR_COUNTER_FOREIGN_DISCARDED);
    fprintf(out, "site %zu is short of buffers: at the least %u of them were free%s", site, fewest,
            stats->gateway->identity.reliable && fewest <= PR_OPERATOR_RELIEF_BUFFERS
                ? ", and it asked its router for relief"
                : "");
    if (foreign)
        fprintf(out, "; it discarded %u packet%s of other sites", foreign, foreign == 1 ? "" : "s");
    fputc('\n', out);
}

static void show_overrun(const struct stats *stats, FILE *out, size_t site)
{
    unsigned discarded = stats_value(stats, site, PR_COUNTER_RECEIVED_DISCARDED);
    fprintf(out, "site %zu received packets faster than its operator posted buffers: it discarded %u of %u\n", site,
            discarded, discarded + stats_value(stats, site, PR_COUNTER_RECEIVED_PACKETS));
}

static void show_failures(const struct stats *stats, FILE *out, size_t site)
{
    unsigned failed = stats_value(stats, site, PR_COUNTER_TARGETS_FAILED);
    fprintf(out, "site %zu has given up %u target%s of its packets\n", site, failed, failed == 1 ? "" : "s");
}

/* Prints the problems of a site. */
static void show_alarms(const struct stats *stats, FILE *out, size_t site)
{
    screen_control(out, terminal_style(site_style(stats, site)));
    if (stats_short_of_buffers(stats, site))
        show_short(stats, out, site);
    if (stats_overrun(stats, site))
        show_overrun(stats, out, site);
    if (stats_complete(stats, site) && stats_value(stats, site, PR_COUNTER_TARGETS_FAILED))
        show_failures(stats, out, site);
    screen_control(out, terminal_style(STYLE_PLAIN));
}

void stats_show(const struct stats *stats, FILE *out, size_t lines)
{
    uint16_t *sites = stats_rank_sites(stats);
    if (stats->before)
        fprintf(out, lines ? "since the last table:\n" : "\nsince the last table:\n");
    show_sites(stats, out, sites, lines);
    show_links(stats, out, lines);
    if (stats->before)
        fputs("(own: packets that a site has sent because of this verb; links carry them, too)\n", out);
    fputc('\n', out);
    for (size_t i = 0; i < stats->set.count; i++)
        if (site_style(stats, sites[i]) != STYLE_PLAIN)
            show_alarms(stats, out, sites[i]);
    free(sites);
}
