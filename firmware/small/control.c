/* Epochs: how sites agree on sequence numbers after one of them has restarted. operator/restart.c has the exchange.
 *
 * SPDX-License-Identifier: ISC
 */
#include "small/small.h"

static uint16_t announced;

static uint32_t base_for(unsigned site)
{
    return SENDS ? sender_base(site) : 0;
}

/* Notes a newer epoch: the site's sequence numbers begin anew, and what was sent to it may or may not have been
 * delivered. */
static void learn_epoch(unsigned site, uint16_t epoch)
{
    struct peer *peer = &peers[site];
    bool seen = peer->flags & PEER_EPOCH_SEEN;
    if (seen && (int16_t)(epoch - peer->epoch) <= 0)
        return;
    peer->epoch = epoch;
    peer->flags |= PEER_EPOCH_SEEN | PEER_FRESH;
    if (!seen && epoch == 0)
        return;
    count(PR_COUNTER_PEERS_RESTARTED);
    if (SENDS)
        sender_peer_restarted(site);
}

/* A base only moves forward: an old one that arrives late changes nothing. */
static void take_base(unsigned site, const uint32_t *control)
{
    struct peer *peer = &peers[site];
    uint32_t base = control[PR_CONTROL_BASE] | control[PR_CONTROL_BASE_HIGH] << 16;
    if ((peer->flags & (PEER_KNOWN | PEER_FRESH)) != PEER_KNOWN || (int32_t)(base - 1 - peer->highest) > 0)
        peer_start(peer, base);
    if (SENDS && peer->age == PEER_STALE)
        control_send(site, PR_CONTROL_TYPE_BASE, base_for(site));
    acknowledge(site, (uint16_t)peer->highest, port_clock());
}

void control_received(unsigned site, const uint32_t *control)
{
    uint16_t epoch = (uint16_t)control[PR_CONTROL_EPOCH];
    bool is_base = control[PR_CONTROL_TYPE] == PR_CONTROL_TYPE_BASE;
    if (!is_base && control[PR_CONTROL_TYPE] != PR_CONTROL_TYPE_RESTARTED) {
        count(PR_COUNTER_DISCARDED);
        return;
    }
    if (is_base && control[PR_CONTROL_PEER_EPOCH] != here.epoch) {
        control_send(site, PR_CONTROL_TYPE_RESTARTED, 0);
        return;
    }
    learn_epoch(site, epoch);
    if (epoch != peers[site].epoch)
        return;
    if (is_base)
        take_base(site, control);
    else
        control_send(site, PR_CONTROL_TYPE_BASE, base_for(site));
}

void control_announce(void)
{
    if (here.epoch == 0 || announced == here.sites || !smalls_are_here())
        return;
    if (announced != here.site)
        control_send(announced, PR_CONTROL_TYPE_RESTARTED, 0);
    announced++;
}
