/* Orders of hosts, and their answers (wire/group_order.h). An answer that finds no buffer is lost: the host asks again.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/group_order.h"

#include "multicast/groups_private.h"

static int carry_out(struct pr_groups *groups, const struct pr_group_order *order, struct pr_group_answer *answer)
{
    uint16_t own = (uint16_t)pr_groups_site(groups);
    switch (order->what) {
    case PR_GROUP_ORDER_FORM:
        return pr_groups_form(groups, order->group, order->argument, own, &own, 1);
    case PR_GROUP_ORDER_JOIN:
        return pr_groups_join(groups, order->group, order->argument);
    case PR_GROUP_ORDER_LEAVE:
        return pr_groups_leave(groups, order->group);
    case PR_GROUP_ORDER_SEND:
        return pr_groups_send(groups, order->group, order->handler, order->data, order->words, &answer->number);
    default:
        return 0;
    }
}

static void list_groups(const struct pr_groups *groups, struct pr_group_answer *answer)
{
    for (unsigned k = 0; k < groups->size.groups; k++)
        if (groups->groups[k].state != PR_GROUP_FREE)
            answer->sites[answer->count++] = groups->groups[k].id;
}

static void show_group(const struct pr_groups *groups, struct pr_group_answer *answer)
{
    const struct pr_group *group = pr_groups_find(groups, answer->group);
    if (!group)
        return;
    answer->state = group->state == PR_GROUP_IN ? PR_GROUP_ORDER_IN : PR_GROUP_ORDER_JOINING;
    answer->shape = group->shape;
    answer->view = group->view;
    answer->leader = group->leader_site;
    for (unsigned k = 0; k < group->count; k++)
        answer->sites[answer->count++] = group->members[k].site;
}

static void obey(struct pr_groups *groups, const struct pr_delivery *delivery)
{
    struct pr_group_order order;
    struct pr_group_answer answer;
    struct pr_target target = {.site = delivery->source};
    uint32_t words[PR_GROUP_MEMBERS_MAX + 2 * PR_GROUP_WORDS];
    unsigned room = groups->op->common.here.identity->max_packet - 1 - PR_HEADER_WORDS;
    if (!pr_group_order_decode(&order, delivery->data, delivery->data_words))
        return;
    answer = (struct pr_group_answer){.tag = order.tag, .what = order.what, .group = order.group};
    answer.error = (uint8_t)-carry_out(groups, &order, &answer);
    if (order.what == PR_GROUP_ORDER_GROUPS)
        list_groups(groups, &answer);
    else
        show_group(groups, &answer);
    if (room > sizeof words / sizeof *words)
        room = sizeof words / sizeof *words;
    pr_operator_send(groups->op, &target, 1, PR_HANDLER_ORDERS, words, pr_group_answer_encode(&answer, words, room),
                     NULL);
}

void pr_groups_take_orders(struct pr_groups *groups)
{
    groups->obey = obey;
    groups->op->common.here.serves |= PR_SERVES_GROUPS;
}
