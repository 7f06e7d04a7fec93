/* Epochs: who has restarted, who is told, and what that does to the packets under way.
 *
 * A site that has restarted (its epoch is not 0) knows nobody's packets. It tells every site so, and whoever sends it
 * data; each answers with a base, below which everything counts as received. So nothing that was sent to the site
 * before its restart, and may have been delivered then, is delivered again after it.
 *
 * Data has room for 5 bits of an epoch, so that 32 restarts that another site has not heard of would look like none. They
 * therefore teach no epoch: a restarted site sends another one data only when that has acknowledged a base with all of its epoch.
 */
#include "operator/operator_private.h"
#include "operator/pool.h"

void control_send(struct operator *operator, unsigned site, unsigned type)
{
    struct header header = {
        .kind = HEADER_KIND_CONTROL,
        .source = (uint16_t)operator->identity->site,
        .control = (uint8_t)type,
        .epoch = own_epoch(operator),
    };

    if (operator->small == 0)
        return;
    if (type == CONTROL_TYPE_BASE) {
        header.peer_epoch = operator->peers[site].epoch;
        header.base = window_base(operator, site);
    }
    pool_queue_small(operator, site, &header, false);
}

/* Notes a site's epoch. True if it has, or may have, restarted since it was last heard from: its packets begin anew, and
 * what was sent to it may or may not have been delivered. */
static bool learn_epoch(struct operator *operator, unsigned site, uint16_t epoch)
{
    struct peer *peer = &operator->peers[site];
    bool seen = peer->flags & PEER_EPOCH_SEEN;

    if (seen && !epoch_is_newer(epoch, peer->epoch))
        return false;
    peer->epoch = epoch;
    peer->flags |= PEER_EPOCH_SEEN | PEER_FRESH;
    acknowledge_forget(operator, site);
    return seen || epoch != 0;
}

static void restarted(struct operator *operator, unsigned site)
{
    count(operator, COUNTER_PEERS_RESTARTED);
    window_peer_restarted(operator, site);
}

bool control_admits(struct operator *operator, const struct header *header)
{
    const struct peer *peer = &operator->peers[header->source];

    if (!(peer->flags & PEER_KNOWN)) {
        control_send(operator, header->source, CONTROL_TYPE_RESTARTED);
        return false;
    }
    return header->epoch == (peer->epoch & EPOCH_MASK);
}

/* A base only ever moves forward: an old one that comes late changes nothing. */
static void take_base(struct operator *operator, const struct header *header)
{
    unsigned site = header->source;
    struct peer *peer = &operator->peers[site];

    if (header->peer_epoch != own_epoch(operator)) {
        control_send(operator, site, CONTROL_TYPE_RESTARTED);
        return;
    }
    if (learn_epoch(operator, site, header->epoch))
        restarted(operator, site);
    if (header->epoch != peer->epoch)
        return;
    if (!(peer->flags & PEER_KNOWN) || peer->flags & PEER_FRESH || (int32_t)(header->base - 1 - peer->highest) > 0)
        peer_start(peer, header->base);
    if (window_has_silent(operator, site))
        control_send(operator, site, CONTROL_TYPE_BASE);
    acknowledge(operator, site, (uint16_t)peer->highest, clock_of(operator), 0);
}

void control_received(struct operator *operator, const struct header *header)
{
    const struct peer *peer = &operator->peers[header->source];

    if (header->control == CONTROL_TYPE_BASE) {
        take_base(operator, header);
    } else if (header->control == CONTROL_TYPE_RESTARTED) {
        if (learn_epoch(operator, header->source, header->epoch))
            restarted(operator, header->source);
        if (header->epoch == peer->epoch)
            control_send(operator, header->source, CONTROL_TYPE_BASE);
    } else {
        count(operator, COUNTER_DISCARDED);
    }
}

bool control_announce(struct operator *operator)
{
    if (operator->identity->epoch == 0 || operator->announced == operator->sites || operator->small < SMALL_BUFFERS)
        return false;
    if (operator->announced != operator->identity->site)
        control_send(operator, operator->announced, CONTROL_TYPE_RESTARTED);
    operator->announced++;
    return true;
}
