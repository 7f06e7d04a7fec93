/* The data of `postroad stats`: the counters of sites and of their outputs, and the derived ranking.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_STATS_H
#define POSTROAD_POSTROAD_STATS_H

#include "cli/counter_requests.h"
#include "protocol.h"

#include <stdio.h>

struct stats_options {
    struct options common;
    double again; /* seconds between two tables; negative: one table */
    bool full, wide;
};

struct stats_row {
    uint32_t counters[COUNTERS_OF_A_SITE];
    unsigned asked, chunks; /* requests that were sent to it, and those that it has answered */
};

struct stats {
    const struct gateway *gateway;
    const struct stats_options *options;
    struct site_set set;   /* the chosen sites */
    struct site_set asked; /* the sites asked now */
    unsigned ports;
    struct counter_requests requests;
    struct stats_row *rows, *before; /* by site; before: the last table, NULL in the first */
};

/* Every output of a site; port 0 is its own. */
struct stats_link {
    int site, port;
    uint32_t words, stalls, drops;
};

/* The site has answered for all its counters. */
bool stats_complete(const struct stats *stats, size_t site);

/* A counter, or what was added to it since the last table. */
uint32_t stats_value(const struct stats *stats, size_t site, unsigned index);

/* Since the last table: packets that the site has sent because of this verb, which asked for that table. For a request
 * and its answer, each end sends one and the acknowledgement of the other. An acknowledgement that traffic of others
 * has carried was none. */
unsigned stats_own(const struct stats *stats, size_t site);

/* True if buffers were so short at times that the site could store no further packet, or discarded other sites'
 * packets. */
bool stats_short_of_buffers(const struct stats *stats, size_t site);

/* True if packets arrived faster than the operator posted buffers for them, and not only in a burst. */
bool stats_overrun(const struct stats *stats, size_t site);

/* The chosen sites, and the connected outputs of the sites that answered, the worst first. The caller frees both. */
uint16_t *stats_rank_sites(const struct stats *stats);
struct stats_link *stats_rank_links(const struct stats *stats, size_t *count);

/* Prints the tables and the problems found; at most so many lines of each table, 0: the usual number. */
void stats_show(const struct stats *stats, FILE *out, size_t lines);

void stats_show_json(const struct stats *stats);

#endif
