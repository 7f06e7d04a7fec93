/* See group_client.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "libpostroad/group_client.h"

static const double full_time = 0.01; /* seconds until a site that had no room is asked again */

static void take_event(void *context, const struct pr_frame *frame)
{
    static struct pr_message_delivery delivery; /* large */
    struct pr_group_client *groups = context;
    if (frame->type == PR_CONSOLE_DELIVERED && pr_message_read_delivery(frame, &delivery) &&
        delivery.handler == PR_HANDLER_ORDERS) {
        if (pr_group_answer_decode(&groups->answer, delivery.data, delivery.data_words))
            groups->answered |= groups->answer.tag == groups->tag;
        return;
    }
    if (groups->others)
        groups->others(groups->context, frame);
}

/* Again while the site of the console has no room for a packet. */
static int ask(struct pr_client *client, const struct pr_frame *request, double timeout, struct pr_frame *answer)
{
    double end = pr_client_now() + timeout;
    for (;;) {
        bool answered;
        int status = pr_client_ask(client, request, timeout, answer, &answered);
        if (status != PR_CLIENT_OK)
            return status;
        if (!answered)
            return PR_GROUP_CLIENT_SILENT;
        uint8_t said = (uint8_t)pr_message_status(answer);
        if ((said != PR_CONSOLE_NO_BUFFER && said != PR_CONSOLE_WINDOW_FULL) || pr_client_now() >= end)
            return PR_CLIENT_OK;
        status = pr_client_poll(&client, 1, full_time);
        if (status != PR_CLIENT_OK)
            return status;
    }
}

int pr_group_client_start(struct pr_group_client *groups, struct pr_client *client, pr_client_event *others,
                          void *context, double timeout)
{
    struct pr_frame request, answer;
    *groups = (struct pr_group_client){.client = client, .others = others, .context = context};
    pr_client_on_event(client, take_event, groups);
    pr_message_listen(&request, PR_CONSOLE_LISTEN_DELIVERED);
    int status = ask(client, &request, timeout, &answer);
    if (status != PR_CLIENT_OK)
        return status;
    return pr_message_status(&answer) == PR_CONSOLE_OK ? PR_CLIENT_OK : PR_GROUP_CLIENT_REFUSED;
}

static int send_order(struct pr_group_client *groups, unsigned site, const struct pr_group_order *order, double timeout,
                      struct pr_group_answer *refused)
{
    uint32_t words[PR_MESSAGE_WORDS_MAX];
    const uint16_t target = (uint16_t)site;
    struct pr_message_send packet = {.handler = PR_HANDLER_MEMBERS, .targets = 1, .sites = &target, .data = words};
    struct pr_frame request, answer;
    packet.data_words = pr_group_order_encode(order, words, PR_MESSAGE_WORDS_MAX);
    if (packet.data_words == 0 || !pr_message_send(&request, &packet))
        return PR_GROUP_CLIENT_REFUSED;
    int status = ask(groups->client, &request, timeout, &answer);
    if (status != PR_CLIENT_OK)
        return status;
    refused->error = (uint8_t)pr_message_status(&answer);
    return refused->error == PR_CONSOLE_OK ? PR_CLIENT_OK : PR_GROUP_CLIENT_REFUSED;
}

/* PR_CLIENT_OK: the site takes orders. Small and older firmware refuses the question, or has no such word. */
static int ask_for_groups(struct pr_group_client *groups, unsigned site, double timeout,
                          struct pr_group_answer *refused)
{
    struct pr_site_identity identity = {0};
    struct pr_frame request, answer;
    unsigned from;
    if (groups->serving[site / 8] >> site % 8 & 1)
        return PR_CLIENT_OK;
    if (!pr_message_identify_part(&request, site, PR_SITE_IDENTITY_SERVES, 1))
        return PR_GROUP_CLIENT_REFUSED;
    int status = ask(groups->client, &request, timeout, &answer);
    if (status != PR_CLIENT_OK)
        return status;
    refused->error = (uint8_t)pr_message_status(&answer);
    if (refused->error != PR_CONSOLE_OK && refused->error != PR_CONSOLE_BAD_REQUEST)
        return PR_GROUP_CLIENT_REFUSED;
    if (!pr_message_read_identity_part(&answer, &from, &identity) || !(identity.serves & PR_SERVES_GROUPS))
        return PR_GROUP_CLIENT_WITHOUT;
    groups->serving[site / 8] |= (uint8_t)(1u << site % 8);
    return PR_CLIENT_OK;
}

int pr_group_client_order(struct pr_group_client *groups, unsigned site, const struct pr_group_order *order,
                          double timeout, struct pr_group_answer *answer)
{
    struct pr_group_order tagged = *order;
    double end = pr_client_now() + timeout;
    int status;
    status = ask_for_groups(groups, site, timeout, answer);
    if (status != PR_CLIENT_OK)
        return status;
    tagged.tag = ++groups->tag;
    groups->answered = false;
    status = send_order(groups, site, &tagged, timeout, answer);
    while (status == PR_CLIENT_OK && !groups->answered) {
        double left = end - pr_client_now();
        if (left <= 0)
            return PR_GROUP_CLIENT_SILENT;
        status = pr_client_poll(&groups->client, 1, left);
    }
    if (status == PR_CLIENT_OK)
        *answer = groups->answer;
    return status;
}

bool pr_group_read_delivery(const struct pr_message_delivery *delivery, struct pr_group_delivery *out)
{
    if (delivery->info_words != PR_GROUP_DELIVERY_INFO || delivery->info[0] > UINT8_MAX)
        return false;
    *out = (struct pr_group_delivery){.group = (uint8_t)delivery->info[0],
                                      .origin = (uint16_t)delivery->source,
                                      .number = (uint16_t)delivery->sequence,
                                      .place = (uint16_t)delivery->info[1]};
    return true;
}
