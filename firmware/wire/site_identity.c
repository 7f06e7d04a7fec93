/* Site numbers and addresses of the three topologies.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wire/site_identity.h"

#include "protocol.h"

static unsigned coord_width(const struct pr_site_identity *identity)
{
    return identity->word_width == 32 ? PR_SITE_COORD_WIDTH_32 : PR_SITE_COORD_WIDTH_16;
}

static uint32_t address_mask(const struct pr_site_identity *identity)
{
    return (1u << 2 * coord_width(identity)) - 1;
}

unsigned pr_site_identity_sites(const struct pr_site_identity *identity)
{
    if (identity->topology == PR_TOPOLOGY_HYPERCUBE)
        return 1u << identity->size_x;
    return identity->size_x * identity->size_y;
}

uint32_t pr_site_identity_address(const struct pr_site_identity *identity, unsigned site)
{
    unsigned y = 0;
    if (identity->topology == PR_TOPOLOGY_HYPERCUBE)
        return site;
    while (site >= identity->size_x) { /* cheaper than a division on cores that have none */
        site -= identity->size_x;
        y++;
    }
    return (uint32_t)y << coord_width(identity) | site;
}

unsigned pr_site_identity_site(const struct pr_site_identity *identity, uint32_t site_word)
{
    unsigned width = coord_width(identity);
    uint32_t address = site_word & address_mask(identity);
    unsigned site = address;
    if (identity->topology == PR_TOPOLOGY_HYPERCUBE)
        return site;
    site &= (1u << width) - 1;
    for (unsigned y = address >> width; y > 0; y--)
        site += identity->size_x;
    return site;
}

uint32_t pr_site_identity_strict_bit(const struct pr_site_identity *identity)
{
    return identity->word_width == 32 ? 1u << PR_SITE_STRICT_BIT_32 : 1u << PR_SITE_STRICT_BIT_16;
}

struct pr_site_addresses pr_site_identity_addresses(const struct pr_site_identity *identity)
{
    unsigned width = coord_width(identity);
    struct pr_site_addresses addresses = {.mask = address_mask(identity)};
    if (identity->topology == PR_TOPOLOGY_HYPERCUBE) {
        addresses.columns = 1;
        addresses.end = 1u << identity->size_x;
        return addresses;
    }
    addresses.column_mask = (1u << width) - 1;
    addresses.columns = identity->size_x;
    addresses.end = identity->size_y << width;
    return addresses;
}
