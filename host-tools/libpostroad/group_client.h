/* Groups (firmware/multicast) through a client of a site's console: join, leave, send, and what is delivered. The
 * orders go from that site to any other as packets (wire/group_order.h).
 *
 *   pr_group_client_start(&groups, client, on_event, context);        listens to deliveries
 *   pr_group_client_order(&groups, site, &order, 5, &answer);         {.what = PR_GROUP_ORDER_JOIN, .group = 7,
 *                                                                      .argument = leader}, or FORM, LEAVE, SEND, SHOW
 *   on_event: pr_message_read_delivery(...), pr_group_read_delivery(...)   what the members deliver, at their consoles
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LIBPOSTROAD_GROUP_CLIENT_H
#define POSTROAD_LIBPOSTROAD_GROUP_CLIENT_H

#include "libpostroad/client.h"
#include "wire/console_messages.h"
#include "wire/group_order.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PR_GROUP_CLIENT_REFUSED = -10, /* the site of the console did not take the packet; answer->error is its status */
    PR_GROUP_CLIENT_SILENT = -11,  /* no answer in time: the order may have been carried out */
    PR_GROUP_CLIENT_WITHOUT = -12  /* the site's firmware has no groups */
};

struct pr_group_client {
    struct pr_client *client;
    pr_client_event *others; /* every event but the answers of orders; may be NULL */
    void *context;
    uint16_t tag;
    bool answered;
    struct pr_group_answer answer;
    uint8_t serving[PR_GROUP_SITES_MAX / 8]; /* a bit for each site that has said that it takes orders */
};

/* Takes the client's events over, and has its site report deliveries. PR_CLIENT_OK, or another PR_CLIENT_*, or
 * PR_GROUP_CLIENT_*. */
int pr_group_client_start(struct pr_group_client *groups, struct pr_client *client, pr_client_event *others,
                          void *context, double timeout);

/* One order and its answer; the order's tag is filled in. PR_CLIENT_OK: answer->error says what came of it. Before the
 * first order to a site, the site is asked whether it has groups. While the site of the console has no room, it is
 * asked again, until the time is up. */
int pr_group_client_order(struct pr_group_client *groups, unsigned site, const struct pr_group_order *order,
                          double timeout, struct pr_group_answer *answer);

/* What a group has delivered: the member that sent it and its number there, and its place in the order (of a shape
 * without order: the number). Data and handler are those of the delivery. */
struct pr_group_delivery {
    uint8_t group;
    uint16_t origin, number, place;
};

/* False: the delivery is not one of a group. */
bool pr_group_read_delivery(const struct pr_message_delivery *delivery, struct pr_group_delivery *out);

#ifdef __cplusplus
}
#endif

#endif
