/* Epochs: who has restarted, who is told, and what that does to the packets under way.
 *
 * A site that has restarted (its epoch is not 0) knows nobody's packets. It tells every site so, and whoever sends it
 * data; each answers with a base, below which everything counts as received. So nothing that was sent to the site
 * before its restart, and may have been delivered then, is delivered again after it.
 *
 * Data has room for 5 bits of an epoch, so that 32 restarts that another site has not heard of would look like none.
 * They therefore teach no epoch: a restarted site sends another one data only when that has acknowledged a base with
 * all of its epoch.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/operator_private.h"
#include "operator/pool.h"

/* Notes a site's epoch. True if it has, or may have, restarted since it was last heard from: its packets begin anew,
 * and what was sent to it may or may not have been delivered. */
static bool learn_epoch(struct pr_operator *op, unsigned site, uint16_t epoch)
{
    struct pr_peer *peer = &op->peers[site];
    bool seen = peer->flags & PR_PEER_EPOCH_SEEN;
    if (seen && !pr_epoch_is_newer(epoch, peer->epoch))
        return false;
    peer->epoch = epoch;
    peer->flags |= PR_PEER_EPOCH_SEEN | PR_PEER_FRESH;
    pr_acknowledge_forget(op, site);
    return seen || epoch != 0;
}

static void restarted(struct pr_operator *op, unsigned site)
{
    pr_count(op, PR_COUNTER_PEERS_RESTARTED);
    pr_window_peer_restarted(op, site);
}

bool pr_control_admits(struct pr_operator *op, const struct pr_header *header)
{
    const struct pr_peer *peer = &op->peers[header->source];
    if (!(peer->flags & PR_PEER_KNOWN)) {
        pr_control_send(op, header->source, PR_CONTROL_TYPE_RESTARTED, 0);
        return false;
    }
    return header->epoch == (peer->epoch & PR_EPOCH_MASK);
}

/* A base only ever moves forward: an old one that comes late changes nothing. */
static void take_base(struct pr_operator *op, const struct pr_header *header)
{
    unsigned site = header->source;
    struct pr_peer *peer = &op->peers[site];
    if (header->peer_epoch != pr_own_epoch(op)) {
        pr_control_send(op, site, PR_CONTROL_TYPE_RESTARTED, 0);
        return;
    }
    if (learn_epoch(op, site, header->epoch))
        restarted(op, site);
    if (header->epoch != peer->epoch)
        return;
    if (!(peer->flags & PR_PEER_KNOWN) || peer->flags & PR_PEER_FRESH ||
        (int32_t)(header->base - 1 - peer->highest) > 0)
        pr_peer_start(peer, header->base);
    if (pr_window_has_silent(op, site))
        pr_control_send(op, site, PR_CONTROL_TYPE_BASE, pr_window_base(op, site));
    pr_acknowledge(op, site, (uint16_t)peer->highest, pr_clock_of(op), 0);
}

void pr_control_received(struct pr_operator *op, const struct pr_header *header)
{
    const struct pr_peer *peer = &op->peers[header->source];
    if (header->control == PR_CONTROL_TYPE_BASE) {
        take_base(op, header);
    } else if (header->control == PR_CONTROL_TYPE_RESTARTED) {
        if (learn_epoch(op, header->source, header->epoch))
            restarted(op, header->source);
        if (header->epoch == peer->epoch)
            pr_control_send(op, header->source, PR_CONTROL_TYPE_BASE, pr_window_base(op, header->source));
    } else {
        pr_count(op, PR_COUNTER_DISCARDED);
    }
}

bool pr_control_announce(struct pr_operator *op)
{
    if (op->identity->epoch == 0 || op->announced == op->sites || op->pool.small < PR_SMALL_BUFFERS)
        return false;
    if (op->announced != op->identity->site)
        pr_control_send(op, op->announced, PR_CONTROL_TYPE_RESTARTED, 0);
    op->announced++;
    return true;
}
