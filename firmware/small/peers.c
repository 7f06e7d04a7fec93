/* What was received from each site. The filter is that of operator/duplicate_filter.c, whose entry of a site has 20
 * bytes; this one has 12.
 *
 * SPDX-License-Identifier: ISC
 */
#include "small/small.h"

enum {
    SPAN = 32,        /* packets before `highest` that are told apart */
    AGE_MAX = 1 << 18 /* clocks that a packet may have been here and is still acknowledged */
};

struct peer peers[RELIABLE ? SITES_MAX : 1];

void peer_start(struct peer *peer, uint32_t base)
{
    peer->highest = base - 1;
    peer->received = UINT32_MAX;
    peer->flags = (uint8_t)((peer->flags | PEER_KNOWN) & ~PEER_FRESH);
}

/* After a reset of the whole mesh every peer is in step; after one of this site alone none is. */
void peers_start(void)
{
    for (struct peer *peer = peers; peer < peers + here.sites; peer++) {
        if (here.epoch != 0) {
            peer->age = PEER_STALE;
            continue;
        }
        peer->flags = PEER_EPOCH_SEEN;
        peer_start(peer, 0);
    }
}

enum peer_arrival peer_classify(const struct peer *peer, uint16_t sequence)
{
    int16_t ahead = (int16_t)(sequence - (uint16_t)peer->highest);
    if (peer->flags & PEER_FRESH || ahead > 0)
        return PEER_NEW;
    if (ahead < -SPAN)
        return PEER_TOO_OLD;
    return ahead < 0 && !(peer->received >> (-ahead - 1) & 1) ? PEER_NEW : PEER_DUPLICATE;
}

void peer_receive(struct peer *peer, uint16_t sequence)
{
    int16_t ahead = (int16_t)(sequence - (uint16_t)peer->highest);
    if (peer->flags & PEER_FRESH) {
        peer->highest = sequence; /* its high half is arbitrary until a base comes */
        peer->received = 0;
        peer->flags &= (uint8_t)~PEER_FRESH;
    } else if (ahead < 0) {
        peer->received |= 1u << (-ahead - 1);
    } else {
        peer->received = ahead > SPAN ? 0 : (peer->received << 1 | 1) << (ahead - 1);
        peer->highest += (uint32_t)ahead;
    }
}

void acknowledge(unsigned site, uint16_t sequence, uint32_t arrived)
{
    const struct peer *peer = &peers[site];
    unsigned behind = (uint16_t)(peer->highest - sequence);
    uint32_t *words = small_begin(site), bitmap = 0;
    if (!words || port_clock() - arrived > AGE_MAX)
        return;
    if (behind < SPAN)
        bitmap = peer->received >> behind & BITMAP_MASK;
    words[PR_ACKNOWLEDGEMENT_SEQUENCE] = sequence;
    words[PR_ACKNOWLEDGEMENT_BITMAP] = bitmap | (uint32_t)(peer->epoch & EPOCH_MASK) << PR_ACKNOWLEDGEMENT_EPOCH_SHIFT;
    small_send(words, PR_ACKNOWLEDGEMENT_WORDS);
    count(PR_COUNTER_ACKNOWLEDGEMENTS);
}

bool control_send(unsigned site, unsigned type, uint32_t base)
{
    uint32_t *words = small_begin(site);
    if (!words)
        return false;
    words[PR_CONTROL_TYPE] = type;
    words[PR_CONTROL_EPOCH] = here.epoch;
    words[PR_CONTROL_PEER_EPOCH] = peers[site].epoch;
    words[PR_CONTROL_BASE] = base & HALF_MASK;
    words[PR_CONTROL_BASE_HIGH] = base >> 16;
    small_send(words, PR_CONTROL_WORDS);
    return true;
}
