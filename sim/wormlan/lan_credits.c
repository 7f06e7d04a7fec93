/* See lan_credits.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wormlan/lan_credits.h"

#include "support/or_abort.h"
#include "wormlan/lan_hosts.h"

struct account {
    unsigned credit;  /* buffers that the manager may give away */
    unsigned freed;   /* at the host, since the token came by */
    unsigned carried; /* by the token */
};

struct lan_credits {
    const struct lan_groups *groups;
    struct account *accounts; /* [host] */
    struct lan_message *first, *last;
    bool token_is_out;
};

struct lan_credits *lan_credits_create(const struct lan_groups *groups, unsigned buffers)
{
    struct lan_credits *credits = or_abort(calloc(1, sizeof *credits));
    credits->groups = groups;
    credits->accounts = or_abort(calloc(groups->graph->hosts, sizeof *credits->accounts));
    for (unsigned host = 0; host < groups->graph->hosts; host++)
        credits->accounts[host].credit = buffers;
    return credits;
}

void lan_credits_free(struct lan_credits *credits)
{
    if (credits)
        free(credits->accounts);
    free(credits);
}

void lan_credits_ask(struct lan_credits *credits, struct lan_message *message)
{
    message->next = NULL;
    if (credits->first)
        credits->last->next = message;
    else
        credits->first = message;
    credits->last = message;
}

/* Who sends the multicast on has got it from somebody: all with a branch but that from which the tree starts. */
static bool needs(const struct lan_groups *groups, const struct lan_message *message, unsigned host)
{
    unsigned group = (unsigned)message->group, root = groups->orders ? lan_member(groups, group, 0) : message->origin;
    return lan_branch(groups, group, message->origin, host)->count > 0 && (host != root || message->origin != root);
}

static bool is_covered(const struct lan_credits *credits, const struct lan_message *message)
{
    for (unsigned place = 0; place < credits->groups->size; place++) {
        unsigned host = lan_member(credits->groups, (unsigned)message->group, place);
        if (needs(credits->groups, message, host) && credits->accounts[host].credit == 0)
            return false;
    }
    return true;
}

struct lan_message *lan_credits_grant(struct lan_credits *credits)
{
    struct lan_message *message = credits->first;
    if (!message || !is_covered(credits, message))
        return NULL;
    for (unsigned place = 0; place < credits->groups->size; place++) {
        unsigned host = lan_member(credits->groups, (unsigned)message->group, place);
        credits->accounts[host].credit -= needs(credits->groups, message, host);
    }
    credits->first = message->next;
    return message;
}

bool lan_credits_sends_token(struct lan_credits *credits)
{
    bool starts = credits->first && !credits->token_is_out;
    credits->token_is_out |= starts;
    return starts;
}

void lan_credits_freed(struct lan_credits *credits, unsigned host)
{
    credits->accounts[host].freed++;
}

void lan_credits_collect(struct lan_credits *credits, unsigned host)
{
    struct account *account = &credits->accounts[host];
    account->carried += account->freed;
    account->freed = 0;
    if (host != LAN_CREDITS_MANAGER)
        return;
    credits->token_is_out = false;
    for (host = 0; host < credits->groups->graph->hosts; host++) {
        credits->accounts[host].credit += credits->accounts[host].carried;
        credits->accounts[host].carried = 0;
    }
}
