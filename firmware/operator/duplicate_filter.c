/* See peer.h: the arithmetic of what was received. */
#include "operator/duplicate_filter.h"

/* The packet's place, counted from the highest received. */
static int16_t place(const struct peer *peer, uint16_t sequence)
{
    return (int16_t)(sequence - (uint16_t)peer->highest);
}

enum peer_arrival peer_classify(const struct peer *peer, uint16_t sequence)
{
    int16_t ahead = place(peer, sequence);

    if (peer->flags & PEER_FRESH || ahead > 0)
        return PEER_NEW;
    if (ahead < -PEER_SPAN)
        return PEER_STALE;
    return ahead < 0 && !(peer->received >> (-ahead - 1) & 1) ? PEER_NEW : PEER_DUPLICATE;
}

enum peer_arrival peer_receive(struct peer *peer, uint16_t sequence)
{
    enum peer_arrival arrival = peer_classify(peer, sequence);
    int16_t ahead = place(peer, sequence);

    if (arrival != PEER_NEW)
        return arrival;
    if (peer->flags & PEER_FRESH) {
        peer->highest = sequence;    /* the high half as good as any: see control.c for bases */
        peer->received = 0;
        peer->flags &= (uint8_t)~PEER_FRESH;
    } else if (ahead < 0) {
        peer->received |= 1u << (-ahead - 1);
    } else {
        /* the old highest becomes bit ahead - 1 */
        peer->received = ahead > PEER_SPAN ? 0 : (peer->received << 1 | 1) << (ahead - 1);
        peer->highest += (uint32_t)ahead;
    }
    return arrival;
}

void peer_start(struct peer *peer, uint32_t base)
{
    peer->highest = base - 1;
    peer->received = UINT32_MAX;
    peer->flags |= PEER_KNOWN;
    peer->flags &= (uint8_t)~PEER_FRESH;
}
