/* A run in which some hosts always have a next multicast, all of one length, and what every host gets of it (Gerla,
 * Palnati, Walton 1996, section 8.2). A host of theirs is slower than its adapter: it needs a time for each worm and
 * for each of its bytes until the adapter has the next one.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORMLAN_LAN_BACKLOG_H
#define POSTROAD_WORMLAN_LAN_BACKLOG_H

#include "wormlan/lan_hosts.h"

struct lan_backlog_options {
    unsigned sources;            /* hosts, from number 0 on, each of which is in a group */
    unsigned length;             /* bytes of a worm */
    double worm_time, byte_time; /* byte times of a link until a host has its next multicast ready */
    uint64_t warm_up, measured;  /* byte times */
};

struct lan_backlog_figures {
    double sent;       /* bytes of its own multicasts that a source begins to send in a byte time */
    double received;   /* bytes of the multicasts of others that a host gets in a byte time */
    double refused;    /* share of the multicasts that were to be sent on: refused, dropped or held */
    bool stands_still; /* nothing moves, though every source has more to send: a deadlock */
};

void lan_backlog(const struct lan_groups *groups, const struct lan_hosts_options *hosts,
                 const struct lan_backlog_options *options, struct lan_backlog_figures *figures);

#endif
