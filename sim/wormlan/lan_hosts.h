/* Host adapters: what they send waits in one queue each, and multicasts are copied and sent on (Gerla, Palnati, Walton
 * 1996, sections 4 to 6). Three services:
 *
 * - *Unbounded* (section 7, as in the paper's simulator): a host has room for everything that comes.
 * - *Bounded*: a host that is to send a multicast on needs a buffer of the multicast's class, and answers its header
 * with ACK or NACK. Who gets a NACK ends the worm, and sends it again after a time-out; who has got all ACKs of a
 * multicast has a buffer again. The classes are the paper's two: with each step multicasts go to a higher number in the
 * same class, or into the second one; those that are broadcast on a tree climb in the first and descend in the second.
 *
 * - *Dropping* (section 8, the implementation): the buffers are one pool, who finds none drops the multicast, and
 * nobody is told.
 *
 * - *Holding*: the two classes, but who finds no buffer stops the worm on its link (back-pressure). Worms that wait
 * there hold the links that others need: the deadlock of Figure 4.
 *
 * - *Credits* (section 2, the scheme of [VLB96]): lan_credits.h.
 *
 * Answers, and what is said to and by the manager of credits, take the time of a worm of no bytes on idle links, and no
 * room on them: the paper does not say how they travel. Hosts that send nothing on need no buffer: they take what comes
 * into the memory of the host.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORMLAN_LAN_HOSTS_H
#define POSTROAD_WORMLAN_LAN_HOSTS_H

#include "wormlan/lan_groups.h"
#include "wormlan/lan_network.h"

struct lan_message {
    double born;
    unsigned length, pending, references; /* bytes; hosts that still lack it; copies and buffers that have it */
    int group;                            /* LAN_NOWHERE: a unicast */
    uint16_t origin;
    bool counted; /* the caller's */
    struct lan_message *next;
};

/* What a host does without a buffer; with credits none is without. */
enum lan_full { LAN_REFUSE, LAN_DROP, LAN_HOLD, LAN_CREDIT };

/* Are the buffers of a host of two classes? Else they are one pool. */
static inline bool lan_full_has_classes(enum lan_full full)
{
    return full == LAN_REFUSE || full == LAN_HOLD;
}

struct lan_hosts_options {
    const struct lan_scheme *scheme;
    unsigned header_bytes; /* after which a host knows the group */
    unsigned buffers;      /* multicasts: of each class, or of the pool; 0: unbounded */
    unsigned time_out;     /* byte times from a NACK on */
    enum lan_full full;
};

struct lan_hosts_counts {
    uint64_t copies, multicast_copies, switches; /* that hosts have begun to send; on their ways */
    uint64_t cut_through, stored;                /* multicasts that were to be sent on: as they came, or later */
    uint64_t refused, taken;                     /* by hosts that need a buffer: NACKs, drops or holds; and others */
    unsigned longest_queue;
};

/* What the caller wants to know and to do. `delivered`: a host has the last byte; not called for a multicast's origin.
 * `due`: an alarm of the caller. `left`: a copy of the host's own has been sent, and taken
 * where hosts answer; may be NULL. */
struct lan_hosts_listener {
    void (*delivered)(void *context, unsigned host, const struct lan_message *message);
    void (*due)(void *context, unsigned host);
    void (*left)(void *context, unsigned host);
};

struct lan_hosts;

struct lan_hosts *lan_hosts_create(const struct lan_groups *groups, const struct lan_hosts_options *options,
                                   const struct lan_hosts_listener *listener, void *context);
void lan_hosts_free(struct lan_hosts *hosts);

/* In an alarm or before the first byte time. */
void lan_hosts_unicast(struct lan_hosts *hosts, const struct lan_message *message, unsigned to);
void lan_hosts_multicast(struct lan_hosts *hosts, const struct lan_message *message);
void lan_hosts_alarm(struct lan_hosts *hosts, uint64_t time, unsigned host);

struct lan_network *lan_hosts_network(struct lan_hosts *hosts);
const struct lan_hosts_counts *lan_hosts_counts(const struct lan_hosts *hosts);
uint64_t lan_hosts_waiting(const struct lan_hosts *hosts); /* copies in queues */

/* Buffers of both classes that are taken, all hosts together. */
unsigned lan_hosts_buffers_taken(const struct lan_hosts *hosts);

#endif
