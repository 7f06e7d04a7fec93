/* Credits for buffers (Gerla, Palnati, Walton 1996, section 2, of [VLB96]): before a host multicasts, it asks a
 * manager, host 0, for a buffer at each host that will send the multicast on. The manager grants requests in the order
 * in which they come. It learns of free buffers by a token that goes round all hosts while a request waits.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORMLAN_LAN_CREDITS_H
#define POSTROAD_WORMLAN_LAN_CREDITS_H

#include "wormlan/lan_groups.h"

enum { LAN_CREDITS_MANAGER = 0 };

struct lan_message;
struct lan_credits;

struct lan_credits *lan_credits_create(const struct lan_groups *groups, unsigned buffers);
void lan_credits_free(struct lan_credits *credits); /* NULL: nothing */

/* At the manager: a request has come; the next one that all buffers are there for, or NULL; does the token start? */
void lan_credits_ask(struct lan_credits *credits, struct lan_message *message);
struct lan_message *lan_credits_grant(struct lan_credits *credits);
bool lan_credits_sends_token(struct lan_credits *credits);

/* At any host: a buffer is free again; the token comes by. */
void lan_credits_freed(struct lan_credits *credits, unsigned host);
void lan_credits_collect(struct lan_credits *credits, unsigned host);

#endif
