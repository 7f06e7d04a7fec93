/* Groups by plain packets, see groups.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "tap/groups.h"
#include "tap/membership.h"
#include "tap/packet.h"

#include <stdlib.h>
#include <string.h>

struct tap_groups {
    const struct pr_site_identity *mesh;
    size_t count;
    uint16_t *sites;
    uint16_t members[TAP_GROUPS]; /* their number */
    bool *is_member;              /* place by place, TAP_GROUPS of each */
};

struct tap_groups *tap_groups_create(const struct pr_site_identity *mesh, const uint16_t *sites, size_t count)
{
    struct tap_groups *groups = calloc(1, sizeof *groups);
    if (!groups)
        return NULL;
    groups->mesh = mesh;
    groups->count = count;
    groups->sites = malloc(count * sizeof *groups->sites);
    groups->is_member = calloc(count * TAP_GROUPS, sizeof *groups->is_member);
    if (groups->sites && groups->is_member) {
        memcpy(groups->sites, sites, count * sizeof *sites);
        return groups;
    }
    tap_groups_destroy(groups);
    return NULL;
}

void tap_groups_destroy(struct tap_groups *groups)
{
    if (!groups)
        return;
    free(groups->sites);
    free(groups->is_member);
    free(groups);
}

static bool *member(const struct tap_groups *groups, size_t place, uint8_t group)
{
    return &groups->is_member[place * TAP_GROUPS + group];
}

void tap_groups_join(struct tap_groups *groups, size_t place, uint8_t group)
{
    groups->members[group] = (uint16_t)(groups->members[group] + !*member(groups, place, group));
    *member(groups, place, group) = true;
}

void tap_groups_leave(struct tap_groups *groups, size_t place, uint8_t group)
{
    groups->members[group] = (uint16_t)(groups->members[group] - *member(groups, place, group));
    *member(groups, place, group) = false;
}

/* Members beside this site. */
static unsigned others(const struct tap_groups *groups, size_t place, uint8_t group)
{
    return groups->members[group] - (unsigned)*member(groups, place, group);
}

size_t tap_groups_room(const struct tap_groups *groups, size_t place, uint8_t group)
{
    unsigned targets = others(groups, place, group), most = tap_packet_targets_most(groups->mesh);
    return targets ? tap_packet_room(groups->mesh, targets < most ? targets : most) : 0;
}

bool tap_groups_request(const struct tap_groups *groups, size_t place, uint8_t group, unsigned part,
                        const uint8_t *bytes, size_t count, struct pr_frame *request)
{
    uint16_t targets[PR_MESSAGE_WORDS_MAX];
    unsigned most = tap_packet_targets_most(groups->mesh), found = 0, skip = part * most;
    for (size_t i = 0; i < groups->count && found < most; i++) {
        if (i == place || !*member(groups, i, group))
            continue;
        if (skip > 0)
            skip--;
        else
            targets[found++] = groups->sites[i];
    }
    if (found)
        tap_packet_compose(groups->mesh, targets, found, bytes, count, request);
    return found > 0;
}
