/* Site numbers and addresses of the three topologies. */
#include "operator/node_identity.h"

#include "protocol.h"

static unsigned coord_width(const struct node_identity *identity)
{
    return identity->word_width == 32 ? SITE_COORD_WIDTH_32 : SITE_COORD_WIDTH_16;
}

unsigned node_identity_sites(const struct node_identity *identity)
{
    if (identity->topology == TOPOLOGY_HYPERCUBE)
        return 1u << identity->size_x;
    return identity->size_x * identity->size_y;
}

uint32_t node_identity_address(const struct node_identity *identity, unsigned site)
{
    unsigned y = 0;

    if (identity->topology == TOPOLOGY_HYPERCUBE)
        return site;
    while (site >= identity->size_x) {    /* cheaper than a division on cores that have none */
        site -= identity->size_x;
        y++;
    }
    return (uint32_t)y << coord_width(identity) | site;
}

unsigned node_identity_site(const struct node_identity *identity, uint32_t site_word)
{
    unsigned width = coord_width(identity);
    uint32_t address = site_word & node_identity_address_mask(identity);
    unsigned site = address;

    if (identity->topology == TOPOLOGY_HYPERCUBE)
        return site;
    site &= (1u << width) - 1;
    for (unsigned y = address >> width; y > 0; y--)
        site += identity->size_x;
    return site;
}

bool node_identity_has_address(const struct node_identity *identity, uint32_t site_word)
{
    bool wide = identity->word_width == 32;    /* constants: small cores shift a bit a clock */
    uint32_t column = site_word & (wide ? (1u << SITE_COORD_WIDTH_32) - 1 : (1u << SITE_COORD_WIDTH_16) - 1);
    uint32_t address = site_word & (wide ? (1u << 2 * SITE_COORD_WIDTH_32) - 1 : (1u << 2 * SITE_COORD_WIDTH_16) - 1);

    if (identity->topology == TOPOLOGY_HYPERCUBE)
        return address >> identity->size_x == 0;
    return column < identity->size_x && address < identity->size_y << (wide ? SITE_COORD_WIDTH_32 : SITE_COORD_WIDTH_16);
}

uint32_t node_identity_strict_bit(const struct node_identity *identity)
{
    return identity->word_width == 32 ? 1u << SITE_STRICT_BIT_32 : 1u << SITE_STRICT_BIT_16;
}

uint32_t node_identity_address_mask(const struct node_identity *identity)
{
    return (1u << 2 * coord_width(identity)) - 1;
}
