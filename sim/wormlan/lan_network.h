/* Worms on the links of a LAN, to the byte and the byte time: heads make events, and tails follow them in runs of
 * bytes, so that a worm costs events and not bytes.
 *
 * A worm is one route byte for each switch on its way, and then its own bytes. In a byte time, in this order:
 *
 *   1. STOP and GO arrive at the sender of a link; it obeys in this byte time.
 *   2. Each output that a worm has, and each host that sends one, puts a byte on its link, if it is not stopped and
 * there is one. The link is free behind the worm's last byte.
 *   3. The head of a worm that has no output yet asks for it: its route byte is the first in the buffer of an input.
 *   4. A free output takes one of the inputs that ask, in turn, and the route byte is dropped.
 *   5. The byte that was put on a link `delay` byte times ago arrives: in the buffer of an input, from which it can be
 * taken in the next byte time, or at a host, which takes everything (section 7: no backpressure from hosts).
 *   6. A buffer that has become as full as its upper threshold sends STOP, one that has become as empty as the lower
 *      one GO. Either arrives `delay` byte times later, and takes no room on the link the other way. A host sends them
 *      when its caller says so; what is on its way then still comes.
 *
 * These are the byte times of lan_timing_paper. So a switch costs two, and a lone worm of L bytes through H switches
 * has come L + 2H - 1 byte times plus the delays after the byte time in which it began.
 *
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORMLAN_LAN_NETWORK_H
#define POSTROAD_WORMLAN_LAN_NETWORK_H

#include "wormlan/lan_graph.h"

/* Bytes of a buffer between GO and STOP. The thresholds follow from the delay d of its link (Figure 1): what is on its
 * way until GO has taken effect, 2d, must be there behind the lower one, and the same must fit above the upper one. */
enum { LAN_SLACK_MARGIN = 4, LAN_SLACK_BETWEEN = 16 };

static inline unsigned lan_slack_low(unsigned delay)
{
    return 2 * delay + LAN_SLACK_MARGIN;
}

static inline unsigned lan_slack_high(unsigned delay)
{
    return lan_slack_low(delay) + LAN_SLACK_BETWEEN;
}

static inline unsigned lan_slack_bytes(unsigned delay)
{
    return lan_slack_high(delay) + 2 * delay + LAN_SLACK_MARGIN;
}

/* Byte times of a switch, each from one thing to the next. */
struct lan_timing {
    unsigned store;   /* a byte has come into a buffer: it can be taken, and a route byte is a head. 1 or 2 */
    unsigned next;    /* the last byte of a worm leaves: the route byte behind it in the buffer is a head */
    unsigned ask;     /* head: it asks. 0: the route byte is in the buffer until the grant; else it leaves as a head */
    unsigned release; /* the last byte of a worm leaves: grant of the output */
    unsigned leave;   /* grant: first byte */
    unsigned say;     /* threshold: STOP or GO leaves, in the place of a byte. 0: beside the bytes */
    unsigned hear;    /* STOP or GO has come: it is obeyed */
    unsigned repeat;  /* STOP: STOP again, at ticks of a clock that begins anew when a switch was at rest. 0: none */
    /* Bytes of a buffer (0: by its delay, as above), and of those above the upper threshold all but two delays, those
     * of the longest cable of the switch. The lower one is half of it. The byte at the head is not counted, and no host
     * is stopped. */
    unsigned slack, margin;
    unsigned turn; /* no time: the input that has had an output last, before any has */
};

extern const struct lan_timing lan_timing_paper;

/* The caller's, from its start until it has been received. */
struct lan_worm {
    const struct lan_path *path;
    unsigned length; /* bytes behind the route, at least 1 */

    /* The network's. [k]: in the buffer before link k of the path. */
    struct {
        struct lan_worm *next;
        uint64_t end; /* bytes that have come there up to its last one; 0: not yet */
    } stages[LAN_HOP_LINKS];
};

/* What hosts learn. `header`: so many bytes of a worm have come. `sent`: its last byte has left its host. */
struct lan_listener {
    void (*header)(void *context, unsigned host, struct lan_worm *worm);
    void (*received)(void *context, unsigned host, struct lan_worm *worm);
    void (*sent)(void *context, unsigned host, struct lan_worm *worm);
    void (*alarm)(void *context, unsigned host, uint64_t about); /* before all else in its byte time */
};

struct lan_network;

struct lan_network *lan_network_create(const struct lan_graph *graph, const struct lan_timing *timing,
                                       unsigned header_bytes, const struct lan_listener *listener, void *context);
void lan_network_free(struct lan_network *network);

/* Simulates up to the byte time `until`, or until nothing moves. */
void lan_network_run(struct lan_network *network, uint64_t until);
uint64_t lan_network_now(const struct lan_network *network);

/* No event is left: every worm has arrived, or they wait for each other. */
bool lan_network_is_quiet(const struct lan_network *network);

/* A host that is not busy begins to send: in this byte time if an alarm does it, else in the next one. Behind: as fast
 * as the bytes of the worm that it receives have come, from its first one on. */
void lan_network_start(struct lan_network *network, unsigned host, struct lan_worm *worm, bool behind);
bool lan_network_busy(const struct lan_network *network, unsigned host);

/* In an alarm: the worm that the host sends ends with the next byte behind its route. */
void lan_network_cut(struct lan_network *network, unsigned host);

/* STOP or GO to the link that leads to the host, at the end of this byte time. */
void lan_network_hold(struct lan_network *network, unsigned host, bool stop);

void lan_network_alarm(struct lan_network *network, uint64_t time, unsigned host, uint64_t about);

/* Bytes that a host has put on its link; most bytes that the buffer at the end of a link has had. */
uint64_t lan_network_bytes(const struct lan_network *network, unsigned host);
unsigned lan_network_slack_used(const struct lan_network *network, unsigned link);
uint64_t lan_network_events(const struct lan_network *network);

#endif
