/* Orders of groups by the verbs, to any site through one console: what goes wrong is printed, and becomes the exit
 * code.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_GROUP_ORDERS_H
#define POSTROAD_CLI_GROUP_ORDERS_H

#include "cli/gateway.h"
#include "libpostroad/group_client.h"

/* Through the console of `client`, a site of the gateway's mesh: EXIT_OK or the exit code, after printing why. */
int group_orders_start(const struct gateway *gateway, struct pr_group_client *groups, struct pr_client *client,
                       pr_client_event *others, void *context);

/* EXIT_OK, with an answer that has no error. EXIT_MISMATCH: the site or the group refuses. EXIT_TIMEOUT: there is no
 * answer, and the order may have been carried out. A packet that the group has no room for is sent again, until the
 * gateway's time-out is over. */
int group_orders_send(const struct gateway *gateway, struct pr_group_client *groups, unsigned site,
                      const struct pr_group_order *order, struct pr_group_answer *answer);

#endif
