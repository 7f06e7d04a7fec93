/* In place of firmware/operator/groups.c: operators that send a packet to several targets as the August 1987 paper's
 * do, to all of them at once and again to all that are left (4.1.1, 4.1.2). Paths (O9) are of Postroad.
 *
 * SPDX-License-Identifier: ISC
 */
#define pr_group_first      group_first
#define pr_group_by_traffic group_by_traffic
#include "operator/groups.c"
#undef pr_group_first
#undef pr_group_by_traffic

void pr_group_first(const struct pr_here *here, struct pr_packet *packet, enum pr_grouping grouping)
{
    group_first(here, packet, grouping == PR_GROUPING_PATHS ? PR_GROUPING_TREE : grouping);
}

enum pr_grouping pr_group_by_traffic(struct pr_traffic *traffic, const struct pr_here *here)
{
    return group_by_traffic(traffic, here) == PR_GROUPING_UNICASTS ? PR_GROUPING_UNICASTS : PR_GROUPING_TREE;
}
