/* postroad group: sites join groups and leave them; which groups there are.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/gateway.h"
#include "cli/group_orders.h"
#include "cli/report.h"
#include "cli/site_set.h"
#include "multicast/groups.h"
#include "postroad/verbs.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_GIVEN = -1 };

static const double look_again = 0.02; /* seconds between two looks whether a site belongs to the group by now */

struct group_options {
    struct options common;
    long join, leave, leader; /* NOT_GIVEN: not */
    const char *shape;
};

struct grouping {
    struct gateway gateway;
    struct pr_group_client client;
    const struct group_options *options;
    struct site_set set;
    unsigned group, leader, shape;
    cJSON *list; /* NULL: lines */
};

/* EXIT_OK with an answer without an error; else the reason has been printed. */
static int order(struct grouping *grouping, unsigned site, unsigned what, unsigned group, unsigned argument,
                 struct pr_group_answer *answer)
{
    const struct pr_group_order asked = {
        .what = (uint8_t)what, .group = (uint8_t)group, .argument = (uint16_t)argument};
    return group_orders_send(&grouping->gateway, &grouping->client, site, &asked, answer);
}

/* ---- output ---- */

static void members_text(const struct pr_group_answer *answer, char *out, size_t size)
{
    struct site_set members = {.count = answer->count, .sites = (uint16_t *)answer->sites};
    site_set_text(&members, out, size);
}

static const char *state_text(const struct pr_group_answer *answer)
{
    static const char *const texts[] = {"no member", "joining", "member"};
    return texts[answer->state];
}

static void add_object(struct grouping *grouping, unsigned site, const struct pr_group_answer *answer)
{
    cJSON *object = cJSON_CreateObject(), *members;
    cJSON_AddNumberToObject(object, "site", site);
    cJSON_AddNumberToObject(object, "group", answer->group);
    cJSON_AddStringToObject(object, "state", state_text(answer));
    if (answer->state == PR_GROUP_ORDER_IN) {
        cJSON_AddStringToObject(object, "shape", pr_group_shape_name(answer->shape));
        cJSON_AddNumberToObject(object, "leader", answer->leader);
        cJSON_AddNumberToObject(object, "view", answer->view);
        members = cJSON_AddArrayToObject(object, "members");
        for (unsigned k = 0; k < answer->count; k++)
            cJSON_AddItemToArray(members, cJSON_CreateNumber(answer->sites[k]));
    }
    cJSON_AddItemToArray(grouping->list, object);
}

static void show_answer(struct grouping *grouping, unsigned site, const struct pr_group_answer *answer)
{
    char members[512];
    if (grouping->list) {
        add_object(grouping, site, answer);
        return;
    }
    if (grouping->options->common.quiet)
        return;
    members_text(answer, members, sizeof members);
    if (answer->state == PR_GROUP_ORDER_IN)
        printf("site %u: group %u, %s, led by site %u, view %u, members %s\n", site, answer->group,
               pr_group_shape_name(answer->shape), answer->leader, answer->view, members);
    else
        printf("site %u: group %u: %s\n", site, answer->group, state_text(answer));
}

/* ---- what is done at a site ---- */

/* Until the site belongs to the group, or does not want to any more. */
static int wait_for_view(struct grouping *grouping, unsigned site, struct pr_group_answer *answer)
{
    double end = pr_client_now() + grouping->gateway.timeout;
    int status = EXIT_OK;
    answer->state = PR_GROUP_ORDER_JOINING;
    while (status == EXIT_OK && answer->state == PR_GROUP_ORDER_JOINING && pr_client_now() < end) {
        pr_client_poll(&grouping->client.client, 1, look_again);
        status = order(grouping, site, PR_GROUP_ORDER_SHOW, grouping->group, 0, answer);
    }
    if (status != EXIT_OK || answer->state == PR_GROUP_ORDER_IN)
        return status;
    report_error("group", "site %u: site %u does not let it into group %u: it leads no such group, or is full", site,
                 grouping->leader, grouping->group);
    return answer->state == PR_GROUP_ORDER_JOINING ? EXIT_TIMEOUT : EXIT_MISMATCH;
}

/* The leader forms the group, unless it leads it already. */
static int form(struct grouping *grouping)
{
    struct pr_group_answer answer;
    int status = order(grouping, grouping->leader, PR_GROUP_ORDER_SHOW, grouping->group, 0, &answer);
    if (status != EXIT_OK || answer.state == PR_GROUP_ORDER_IN)
        return status;
    return order(grouping, grouping->leader, PR_GROUP_ORDER_FORM, grouping->group, grouping->shape, &answer);
}

static int join(struct grouping *grouping, unsigned site, struct pr_group_answer *answer)
{
    int status = order(grouping, site, PR_GROUP_ORDER_SHOW, grouping->group, 0, answer);
    if (status != EXIT_OK || answer->state == PR_GROUP_ORDER_IN)
        return status;
    status = order(grouping, site, PR_GROUP_ORDER_JOIN, grouping->group, grouping->leader, answer);
    return status == EXIT_OK ? wait_for_view(grouping, site, answer) : status;
}

static int list_groups(struct grouping *grouping, unsigned site)
{
    struct pr_group_answer groups, answer;
    int status = order(grouping, site, PR_GROUP_ORDER_GROUPS, 0, 0, &groups);
    for (unsigned k = 0; status == EXIT_OK && k < groups.count; k++) {
        status = order(grouping, site, PR_GROUP_ORDER_SHOW, groups.sites[k], 0, &answer);
        if (status == EXIT_OK)
            show_answer(grouping, site, &answer);
    }
    return status;
}

static int serve(struct grouping *grouping, unsigned site)
{
    const struct group_options *options = grouping->options;
    struct pr_group_answer answer;
    int status;
    if (options->join != NOT_GIVEN)
        status = join(grouping, site, &answer);
    else if (options->leave != NOT_GIVEN)
        status = order(grouping, site, PR_GROUP_ORDER_LEAVE, grouping->group, 0, &answer);
    else
        return list_groups(grouping, site);
    if (status == EXIT_OK)
        show_answer(grouping, site, &answer);
    return status;
}

static int serve_all(struct grouping *grouping)
{
    int status = grouping->options->join != NOT_GIVEN ? form(grouping) : EXIT_OK, worst = status;
    for (size_t k = 0; status == EXIT_OK && k < grouping->set.count; k++) {
        int at = serve(grouping, grouping->set.sites[k]);
        if (at == EXIT_TRANSPORT)
            return at;
        if (at > worst)
            worst = at;
    }
    return worst;
}

/* ---- the verb ---- */

/* False: the reason has been printed. */
static bool read_choice(struct grouping *grouping)
{
    const struct group_options *options = grouping->options;
    int shape = pr_group_shape_by_name(options->shape);
    if (options->join != NOT_GIVEN && options->leave != NOT_GIVEN) {
        report_error("group", "--join, --leave: more than one is given, expected one");
        return false;
    }
    if (shape < 0) {
        report_error("group",
                     "--shape %s: unknown shape, expected direct, direct-order, circuit, circuit-return, "
                     "circuit-order, tree, tree-order, gt or gt-order",
                     options->shape);
        return false;
    }
    grouping->group = (unsigned)(options->join != NOT_GIVEN ? options->join : options->leave);
    grouping->shape = (unsigned)shape;
    grouping->leader = options->leader == NOT_GIVEN ? UINT16_MAX : (unsigned)options->leader;
    for (size_t k = 0; options->leader == NOT_GIVEN && k < grouping->set.count; k++)
        if (grouping->set.sites[k] < grouping->leader)
            grouping->leader = grouping->set.sites[k];
    if (grouping->leader < (unsigned)grouping->gateway.mesh.sites)
        return true;
    report_error("group", "--leader %u: no site of this mesh, expected less than %d", grouping->leader,
                 grouping->gateway.mesh.sites);
    return false;
}

static int start(struct grouping *grouping)
{
    if (!grouping->gateway.identity.reliable)
        return report_failure(EXIT_USAGE, "group",
                              "the mesh has the raw service, expected the reliable one ([service] reliable)");
    return group_orders_start(&grouping->gateway, &grouping->client, grouping->gateway.client, NULL, NULL);
}

static int run(const struct options *options)
{
    struct grouping grouping = {.options = (const void *)options};
    cJSON *object = NULL;
    int status = gateway_open_sites(&grouping.gateway, options, &grouping.set);
    if (status != EXIT_OK)
        return status;
    status = read_choice(&grouping) ? start(&grouping) : EXIT_USAGE;
    if (status == EXIT_OK && options->json) {
        object = report_object("group");
        grouping.list = cJSON_AddArrayToObject(object, "groups");
    }
    if (status == EXIT_OK)
        status = serve_all(&grouping);
    if (object)
        report_print(object, false);
    gateway_close_sites(&grouping.gateway, &grouping.set);
    return status;
}

static const struct option_row rows[] = {
    {.name = "join",
     .kind = OPTION_NUMBER,
     .argument = "GROUP",
     OPTION_FIELD(struct group_options, join),
     .maximum = 255,
     .otherwise = "none",
     .help = "the sites become members of this group"},
    {.name = "leave",
     .kind = OPTION_NUMBER,
     .argument = "GROUP",
     OPTION_FIELD(struct group_options, leave),
     .maximum = 255,
     .otherwise = "none",
     .help = "the sites leave this group"},
    {.name = "leader",
     .kind = OPTION_NUMBER,
     .argument = "SITE",
     OPTION_FIELD(struct group_options, leader),
     .maximum = PR_GROUP_SITES_MAX - 1,
     .otherwise = "the lowest of SITES",
     .help = "with --join: the site that leads the group; it forms the group if there is none"},
    {.name = "shape",
     .kind = OPTION_TEXT,
     .argument = "SHAPE",
     OPTION_FIELD(struct group_options, shape),
     .words = "direct direct-order circuit circuit-return circuit-order tree tree-order gt gt-order",
     .initial = "gt-order",
     .help = "with --join: of a group that is formed; those that end in -order deliver in one order everywhere"},
    {.name = NULL},
};

static const struct group_options defaults = {.join = NOT_GIVEN, .leave = NOT_GIVEN, .leader = NOT_GIVEN};

static const char manual[] =
    "Without an option, prints the groups of <SITES>. With `--join`, the sites become members of a group, whose leader "
    "forms it if it does not lead it yet; the verb waits until each belongs to it. What a member sends to the group "
    "(`postroad send --group`) is delivered once to each other member, of the shapes that end in `-order` to all "
    "members in one order. `postroad listen --group` shows it. The sites need firmware with groups: all simulated "
    "native sites have it (`postroad up --nodes native`), cores and QEMU nodes of 128 KB run `group_node.elf`. The leader "
    "can leave last only. If it is lost, so is the group.";

static const struct json_key keys[] = {
    {"groups[].site", "site", "a site"},
    {"groups[].group", "number", "one of its groups"},
    {"groups[].state", "text", "`member`, `joining` or `no member`"},
    {"groups[].shape", "text", "the way of packets; this key and those below only of a member"},
    {"groups[].leader", "site", "the leader"},
    {"groups[].view", "number", "low byte of the number of the view"},
    {"groups[].members[]", "site", "a member"},
    {NULL, NULL, NULL},
};

const struct verb verb_group = {
    .name = "group",
    .operands = "[SITES]",
    .summary = "Groups for multicast: join, leave, list.",
    .manual = manual,
    .operands_max = 1,
    .operand_words = {"all"},
    .common = COMMON_ASK,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct group_options),
    .defaults = &defaults,
    .run = run,
};
