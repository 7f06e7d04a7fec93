/* What a site knows of another one: which of its packets it has received, and what it owes it.
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
    PR_PEER_KNOWN = 1,      /* highest and received mean something */
    PR_PEER_EPOCH_SEEN = 2, /* epoch means something */
    PR_PEER_FRESH = 4,      /* restarted: nothing of its epoch has come yet, its next packet says where it is */
    PR_PEER_SUSPECT = 8,    /* the last packet to it was given up */
    PR_PEER_STRICT = 16,    /* acknowledgements go to it in strict dimension order */
    PR_PEER_AGE_SHIFT = 5,  /* sweeps since it was heard from, 2 bits */
    PR_PEER_AGE_MASK = 3 << PR_PEER_AGE_SHIFT
};

struct pr_peer {
    uint32_t highest;     /* sequence number received from it; packets carry its low 16 bits */
    uint32_t received;    /* bit k: highest - 1 - k was received, or never will be */
    uint32_t due;         /* clock at which an acknowledgement is due, if one is */
    uint16_t acknowledge; /* the oldest packet that it is for */
    uint16_t epoch;
    uint8_t flags;
    uint8_t asked; /* silent for long: questions without an answer, since it was last given up */
};

enum {
    PR_PEER_SPAN = 32, /* packets before `highest` that are told apart: no window is larger */
    PR_PEER_WORDS = 5
};
static_assert(sizeof(struct pr_peer) <= 4 * PR_PEER_WORDS, "room for it is counted in words");

enum pr_peer_arrival { PR_PEER_NEW, PR_PEER_DUPLICATE, PR_PEER_STALE };

/* Notes that a packet with this sequence number has come, and says what it is. */
enum pr_peer_arrival pr_peer_receive(struct pr_peer *peer, uint16_t sequence);

/* What pr_peer_receive would say. */
enum pr_peer_arrival pr_peer_classify(const struct pr_peer *peer, uint16_t sequence);

/* Everything before base counts as received, nothing from it on. */
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
