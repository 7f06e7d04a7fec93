/* The rules of wormlan/lan_network.h once more, byte by byte and byte time by byte time: no runs, no events.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_WORMLAN_BYTE_NETWORK_H
#define POSTROAD_TESTS_WORMLAN_BYTE_NETWORK_H

#include "wormlan/lan_network.h"

struct byte_network;

struct byte_network *byte_network_create(const struct lan_graph *graph, unsigned header_bytes,
                                         const struct lan_listener *listener, void *context);
void byte_network_free(struct byte_network *network);

/* A byte time: the alarms of this host, given by the caller, and then all else. */
void byte_network_begin(struct byte_network *network, uint64_t now);
void byte_network_step(struct byte_network *network);

/* As those of lan_network.h. */
void byte_network_start(struct byte_network *network, unsigned host, struct lan_worm *worm, bool behind);
bool byte_network_busy(const struct byte_network *network, unsigned host);
void byte_network_cut(struct byte_network *network, unsigned host);
void byte_network_hold(struct byte_network *network, unsigned host, bool stop);

/* Most bytes that the buffer at the end of a link has had at the end of a byte time. */
unsigned byte_network_slack_used(const struct byte_network *network, unsigned link);

#endif
