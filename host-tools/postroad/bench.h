/* The data of `postroad bench`: the traffic evaluators of the sites, and the pairs of sites between which they send.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_BENCH_H
#define POSTROAD_POSTROAD_BENCH_H

#include "cli/gateway.h"
#include "workload/statistics.h"

struct bench_options {
    struct options common;
    const char *from, *to;
    double seconds;
    long packets; /* of each pair; 0: for so many seconds */
    long length, gap;
};

/* What an evaluator has said last (hw/protocol/packet.ini, "Report of a traffic evaluator"). */
struct bench_report {
    unsigned tag, number, room, measured;
    uint32_t sent, received, first, last;
    unsigned trips;
    const uint32_t *halves; /* of the round trips; valid while the report is taken */
};

enum bench_trouble { BENCH_WELL, BENCH_SILENT, BENCH_RESTARTED };

/* Where the order of this round is: to be handed to the gateway's node; handed over; accepted by it. */
enum bench_stage { BENCH_DUE, BENCH_ASKED, BENCH_ACCEPTED };

struct bench_site {
    unsigned site;
    uint32_t clock_hz; /* 0: it does not say */
    enum bench_trouble trouble;
    enum bench_stage stage;
    double due;                 /* not before this time: the gateway's node had no room */
    bool known;                 /* its node answers */
    bool answered;              /* its evaluator has, in this round */
    struct bench_report report; /* the last one, without its round trips */
    struct bench_pair *sends;   /* NULL: it only receives */
    struct bench_pair *about;   /* whose packets it is asked for; NULL: it only sends */
    unsigned sources;           /* that send to it */
    unsigned idle_room;         /* report.room before the run */
    uint32_t last;              /* clock of the last packet known here */
    uint64_t clocks;            /* from the first packet of the run here to that one */
    uint64_t received;          /* of all sources */
    uint32_t time_outs,
        resent; /* its counter before the run, and what was added meanwhile; 0 if a site is in trouble */
};

struct bench_pair {
    struct bench_site *source, *target;
    unsigned rank; /* among the pairs with this target */
    uint32_t sent, received, until;
    uint32_t before;         /* sent, as it was a round ago */
    uint16_t taken;          /* round trips that have come, modulo 2^16 */
    struct statistics trips; /* clocks of the source */
    double differences;      /* between successive round trips, summed */
    uint32_t trip;           /* the last */
};

struct bench {
    const struct bench_options *options;
    struct gateway *gateway;
    unsigned tag, number;
    struct bench_site *sites;
    size_t site_count;
    struct bench_pair *pairs;
    size_t pair_count;
    unsigned kind;           /* of the orders of this round */
    bool simulated;          /* one clock drives all sites, as fast as this computer can */
    double seconds;          /* of the run, on this computer */
    double simulated_clocks; /* meanwhile */
};

/* Runs traffic between the pairs, and waits until it has arrived or is lost: EXIT_OK, with all figures, or the exit
 * code to end with, after printing why. No evaluator sends any more, unless a note says so. */
int bench_run(struct bench *bench);

/* The same sites' figures as a table or as JSON. */
void bench_show(const struct bench *bench);
void bench_show_json(const struct bench *bench);

#endif
