/* Epochs: how sites agree on sequence numbers after one of them has restarted.
 *
 *   restarted site R                         any other site S
 *      | -------- RESTARTED (epoch) -----------> |   R announces itself to every site, and to every sender of data
 *      |                                         |   S gives up what it had sent to R
 *      | <------- BASE (base, both epochs) ----- |   packets of S below the base count as received: R admits its data
 *      | -------- acknowledgement -------------> |   S knows that R follows its sequence numbers
 *
 * Nothing that was sent to R before its restart, and may have been delivered then, is thus delivered again after it. R
 * sends S data only after S has acknowledged a base of R in the same way.
 *
 * Data has room for 5 bits of an epoch. After 32 restarts of which another site heard nothing, the bits would be equal.
 * Data therefore never changes a known epoch; only control packets, which carry all 16 bits, do.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/restart.h"

#include "operator/control_packet.h"

/* Notes a site's epoch. True if the site has, or may have, restarted since the last epoch noted: its sequence numbers
 * begin anew, and packets that were sent to it may or may not have been delivered. */
static bool learn_epoch(struct pr_send_window *window, unsigned site, uint16_t epoch)
{
    struct pr_peer *peer = &window->common->peers[site];
    bool seen = peer->flags & PR_PEER_EPOCH_SEEN;
    if (seen && !pr_epoch_is_newer(epoch, peer->epoch))
        return false;
    peer->epoch = epoch;
    peer->flags |= PR_PEER_EPOCH_SEEN | PR_PEER_FRESH;
    pr_acknowledge_forget(window->acknowledgements, site);
    return seen || epoch != 0;
}

static void restarted(struct pr_send_window *window, unsigned site)
{
    pr_count(&window->common->events, PR_COUNTER_PEERS_RESTARTED);
    pr_window_peer_restarted(window, site);
}

bool pr_control_admits(struct pr_common *common, const struct pr_header *header)
{
    const struct pr_peer *peer = &common->peers[header->source];
    if (!(peer->flags & PR_PEER_KNOWN)) {
        pr_control_send(common, header->source, PR_CONTROL_TYPE_RESTARTED, 0);
        return false;
    }
    return header->epoch == (peer->epoch & PR_EPOCH_MASK);
}

/* A base only moves forward: an old one that arrives late changes nothing. */
static void take_base(struct pr_send_window *window, const struct pr_header *header)
{
    unsigned site = header->source;
    struct pr_peer *peer = &window->common->peers[site];
    if (header->peer_epoch != pr_own_epoch(&window->common->here)) {
        pr_control_send(window->common, site, PR_CONTROL_TYPE_RESTARTED, 0);
        return;
    }
    if (learn_epoch(window, site, header->epoch))
        restarted(window, site);
    if (header->epoch != peer->epoch)
        return;
    if (!(peer->flags & PR_PEER_KNOWN) || peer->flags & PR_PEER_FRESH ||
        (int32_t)(header->base - 1 - peer->highest) > 0)
        pr_peer_start(peer, header->base);
    if (pr_window_is_stale(window, site))
        pr_control_send(window->common, site, PR_CONTROL_TYPE_BASE, pr_window_base(window, site));
    pr_acknowledge(window->acknowledgements, site, (uint16_t)peer->highest, pr_clock_of(&window->common->here), 0);
}

PR_NOT_INLINED void pr_control_received(struct pr_send_window *window, const struct pr_header *header)
{
    const struct pr_peer *peer = &window->common->peers[header->source];
    if (header->control == PR_CONTROL_TYPE_BASE) {
        take_base(window, header);
    } else if (header->control == PR_CONTROL_TYPE_RESTARTED) {
        if (learn_epoch(window, header->source, header->epoch))
            restarted(window, header->source);
        if (header->epoch == peer->epoch)
            pr_control_send(window->common, header->source, PR_CONTROL_TYPE_BASE,
                            pr_window_base(window, header->source));
    } else {
        pr_count(&window->common->events, PR_COUNTER_DISCARDED);
    }
}

PR_RARE bool pr_control_announce(struct pr_restart *restart, struct pr_common *common)
{
    if (common->here.identity->epoch == 0 || restart->announced == common->here.sites ||
        common->pool.small < PR_SMALL_BUFFERS)
        return false;
    if (restart->announced != common->here.identity->site)
        pr_control_send(common, restart->announced, PR_CONTROL_TYPE_RESTARTED, 0);
    restart->announced++;
    return true;
}
