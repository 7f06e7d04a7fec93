/* The duplicate filter: which packets of another site (a peer) have been received, and what is owed to that site.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_DUPLICATE_FILTER_H
#define POSTROAD_OPERATOR_DUPLICATE_FILTER_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire/header.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PR_PEER_KNOWN = 1,      /* `highest` and `received` are valid */
    PR_PEER_EPOCH_SEEN = 2, /* `epoch` is valid */
    PR_PEER_FRESH = 4,      /* restarted, and nothing of its epoch has come yet: its next packet sets `highest` */
    PR_PEER_SUSPECT = 8,    /* the last packet to it was given up, and it has been silent since */
    PR_PEER_AGE_SHIFT = 4,  /* 2 bits: how long it has been silent (send_window.c) */
    PR_PEER_AGE_MASK = 3 << PR_PEER_AGE_SHIFT
};

struct pr_peer {
    uint32_t highest;     /* highest sequence number received; packets carry its low 16 bits */
    uint32_t received;    /* bit k: the packet highest - 1 - k was received, or never will be */
    uint32_t due;         /* clock at which the acknowledgement to it leaves, if one is due */
    uint16_t acknowledge; /* the oldest packet that the acknowledgement is for */
    uint16_t epoch;
    uint8_t flags;
    uint8_t probes; /* if it is stale: probes without an answer since it was last given up */
};

enum {
    PR_PEER_SPAN = 32, /* packets before `highest` that the filter tells apart: no send window is larger */
    PR_PEER_WORDS = 5
};
static_assert(sizeof(struct pr_peer) <= 4 * PR_PEER_WORDS, "room for it is counted in words");

enum pr_peer_arrival { PR_PEER_NEW, PR_PEER_DUPLICATE, PR_PEER_STALE };

/* Notes the arrival of a packet with this sequence number. STALE: too old for the filter, and dropped. */
enum pr_peer_arrival pr_peer_receive(struct pr_peer *peer, uint16_t sequence);

/* The result of pr_peer_receive, without noting anything. */
enum pr_peer_arrival pr_peer_classify(const struct pr_peer *peer, uint16_t sequence);

/* Every packet before `base` counts as received, and none from `base` on. */
void pr_peer_start(struct pr_peer *peer, uint32_t base);

/* Epochs are compared round the circle of 65536: 1 to 32767 ahead is newer. */
static inline bool pr_epoch_is_newer(uint16_t epoch, uint16_t than)
{
    return (int16_t)(epoch - than) > 0;
}

#ifdef __cplusplus
}
#endif

#endif
