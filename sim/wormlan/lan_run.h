/* A run: worms are generated in a Poisson process at each host, with geometric lengths, and what became of those of a
 * measured stretch of time is counted (Gerla, Palnati, Walton 1996, section 7.1).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORMLAN_LAN_RUN_H
#define POSTROAD_WORMLAN_LAN_RUN_H

#include "wormlan/lan_hosts.h"

struct lan_run_options {
    double load;  /* bytes that a host puts on its link in a byte time, in the mean of all hosts, routes and copies with
                     it */
    double share; /* of multicasts among the new worms of members */
    double length;                     /* mean bytes of a worm without its route */
    uint64_t warm_up, measured, drain; /* byte times; the drain ends when all counted worms have arrived */
    uint64_t seed;                     /* of the traffic */
};

struct lan_figures {
    double latency;       /* multicasts: mean byte times from a worm's generation to its last byte at a member */
    double latency_error; /* standard error of that by batches of the measured time */
    double completion;    /* and at the last member */
    double unicast_latency;
    double carried;        /* load that hosts have put on their links in the measured time */
    double share_sent;     /* of multicasts among the copies that hosts have begun to send, in the whole run */
    double share_expected; /* the same by the trees */
    double copies;         /* sent for each new worm, expected */
    double switches, multicast_switches; /* on the way of a copy */
    double cut_through;                  /* of multicasts that were sent on: as they came */
    double unfinished;                   /* share of the counted worms that had not come to all by the end */
    double unsent;                       /* copies in queues at the end of the measured time, a host */
    double longest_queue, slack;         /* copies; most bytes of a buffer of a switch */
    double refused;                      /* NACKs for each copy of a multicast that was sent */
    double multicasts, events, bytes; /* counted; of the whole run, with the bytes that hosts have put on their links */
    bool stable;                      /* everything counted has come, and queues did not grow with the measured time */
};

void lan_run(const struct lan_groups *groups, const struct lan_hosts_options *hosts,
             const struct lan_run_options *options, struct lan_figures *figures);

#endif
