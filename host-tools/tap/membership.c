/* See membership.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "tap/membership.h"

#include <string.h>

uint8_t tap_group_of(const struct tap_address *address)
{
    return address->bytes[TAP_ADDRESS_BYTES - 1];
}

static size_t find(const struct tap_membership *members, const struct tap_address *address)
{
    size_t at = 0;
    while (at < members->count && memcmp(&members->entries[at].address, address, sizeof *address) != 0)
        at++;
    return at;
}

bool tap_membership_has(const struct tap_membership *members, const struct tap_address *address)
{
    return find(members, address) < members->count;
}

static void leave(struct tap_membership *members, size_t at, tap_membership_change *change, void *context)
{
    struct tap_address address = members->entries[at].address;
    members->entries[at] = members->entries[--members->count];
    change(context, &address, false, --members->addresses[tap_group_of(&address)] == 0);
}

static void join(struct tap_membership *members, const struct tap_address *address, tap_membership_change *change,
                 void *context)
{
    members->entries[members->count++].address = *address;
    change(context, address, true, members->addresses[tap_group_of(address)]++ == 0);
}

bool tap_membership_set(struct tap_membership *members, const struct tap_address *address, bool wanted, double now,
                        tap_membership_change *change, void *context)
{
    size_t at = find(members, address);
    if (!wanted) {
        if (at < members->count)
            leave(members, at, change, context);
        return true;
    }
    if (at == TAP_ADDRESSES_MOST)
        return false;
    if (at == members->count)
        join(members, address, change, context);
    members->entries[at].until = now + TAP_MEMBER_SECONDS;
    return true;
}

void tap_membership_expire(struct tap_membership *members, double now, tap_membership_change *change, void *context)
{
    for (size_t at = members->count; at-- > 0;)
        if (members->entries[at].until <= now)
            leave(members, at, change, context);
}
