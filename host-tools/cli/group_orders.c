/* See group_orders.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/group_orders.h"

#include "cli/exit_code.h"
#include "cli/report.h"
#include "multicast/groups.h"

static const double busy_time = 0.02; /* seconds until a group that had no room is asked again */

static int failed(const struct gateway *gateway, const struct pr_group_client *groups, int status)
{
    struct gateway own = *gateway;
    own.client = groups->client;
    return gateway_failed(&own, status);
}

int group_orders_start(const struct gateway *gateway, struct pr_group_client *groups, struct pr_client *client,
                       pr_client_event *others, void *context)
{
    int status = pr_group_client_start(groups, client, others, context, gateway->timeout);
    if (status == PR_CLIENT_OK)
        return EXIT_OK;
    if (status != PR_GROUP_CLIENT_SILENT && status != PR_GROUP_CLIENT_REFUSED)
        return failed(gateway, groups, status);
    return report_failure(EXIT_TIMEOUT, gateway->options->verb, "the site of the console does not report deliveries");
}

static int until_room(const struct gateway *gateway, struct pr_group_client *groups, unsigned site,
                      const struct pr_group_order *order, struct pr_group_answer *answer)
{
    double end = pr_client_now() + gateway->timeout;
    int status = pr_group_client_order(groups, site, order, gateway->timeout, answer);
    while (status == PR_CLIENT_OK && order->what == PR_GROUP_ORDER_SEND && answer->error == PR_GROUPS_BUSY &&
           pr_client_now() < end) {
        pr_client_poll(&groups->client, 1, busy_time);
        status = pr_group_client_order(groups, site, order, gateway->timeout, answer);
    }
    return status;
}

int group_orders_send(const struct gateway *gateway, struct pr_group_client *groups, unsigned site,
                      const struct pr_group_order *order, struct pr_group_answer *answer)
{
    const char *verb = gateway->options->verb;
    int status = until_room(gateway, groups, site, order, answer);
    switch (status) {
    case PR_CLIENT_OK:
        if (answer->error == 0)
            return EXIT_OK;
        return report_failure(EXIT_MISMATCH, verb, "site %u, group %u: %s", site, order->group,
                              pr_group_error_text(answer->error));
    case PR_GROUP_CLIENT_WITHOUT:
        return report_failure(EXIT_MISMATCH, verb, "site %u: its firmware has no groups", site);
    case PR_GROUP_CLIENT_REFUSED:
        return report_failure(EXIT_MISMATCH, verb, "site %u: refused: %s", site, pr_message_status_text(answer->error));
    case PR_GROUP_CLIENT_SILENT:
        return report_failure(EXIT_TIMEOUT, verb, "site %u: no answer within %g s: the order may have been carried out",
                              site, gateway->timeout);
    default:
        return failed(gateway, groups, status);
    }
}
