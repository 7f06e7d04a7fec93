/* See duplicate_filter.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/duplicate_filter.h"

/* Distance from the highest sequence number received; negative: before it. */
static int16_t place(const struct pr_peer *peer, uint16_t sequence)
{
    return (int16_t)(sequence - (uint16_t)peer->highest);
}

enum pr_peer_arrival pr_peer_classify(const struct pr_peer *peer, uint16_t sequence)
{
    int16_t ahead = place(peer, sequence);
    if (peer->flags & PR_PEER_FRESH || ahead > 0)
        return PR_PEER_NEW;
    if (ahead < -PR_PEER_SPAN)
        return PR_PEER_STALE;
    return ahead < 0 && !(peer->received >> (-ahead - 1) & 1) ? PR_PEER_NEW : PR_PEER_DUPLICATE;
}

enum pr_peer_arrival pr_peer_receive(struct pr_peer *peer, uint16_t sequence)
{
    enum pr_peer_arrival arrival = pr_peer_classify(peer, sequence);
    int16_t ahead = place(peer, sequence);
    if (arrival != PR_PEER_NEW)
        return arrival;
    if (peer->flags & PR_PEER_FRESH) {
        peer->highest = sequence; /* its high half is arbitrary until a base comes: restart.c */
        peer->received = 0;
        peer->flags &= (uint8_t)~PR_PEER_FRESH;
    } else if (ahead < 0) {
        peer->received |= 1u << (-ahead - 1);
    } else {
        /* the old highest becomes bit ahead - 1 */
        peer->received = ahead > PR_PEER_SPAN ? 0 : (peer->received << 1 | 1) << (ahead - 1);
        peer->highest += (uint32_t)ahead;
    }
    return arrival;
}

void pr_peer_start(struct pr_peer *peer, uint32_t base)
{
    peer->highest = base - 1;
    peer->received = UINT32_MAX;
    peer->flags |= PR_PEER_KNOWN;
    peer->flags &= (uint8_t)~PR_PEER_FRESH;
}
