/* The identity of a site and of its mesh: the node ID block, field by field and in its order.
 *
 * Nothing of a mesh is compiled into firmware: it reads everything from here at run time. For native sites the
 * simulator fills it in.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_SITE_IDENTITY_H
#define POSTROAD_WIRE_SITE_IDENTITY_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pr_site_identity {
    uint32_t map_version;
    uint32_t site;     /* site number: y*size_x + x, on a hypercube the address */
    uint32_t address;  /* as in the low bits of a site word */
    uint32_t topology; /* TOPOLOGY_* */
    uint32_t signature;
    uint32_t size_x;     /* hypercube: dimensions */
    uint32_t size_y;     /* hypercube: 1 */
    uint32_t word_width; /* 16 or 32 */
    uint32_t links;      /* mask of connected links */
    uint32_t clock_hz;
    uint32_t ram_bytes;
    uint32_t mesh_hash;
    uint32_t divert_threshold;
    uint32_t abort_threshold;
    uint32_t abort_random;
    uint32_t max_packet; /* target words + data words */
    uint32_t discipline;
    uint32_t time_hz;     /* rate of mtime */
    uint32_t retry_limit; /* aborted tries of a multicast before its rest goes as unicasts (O6) */
    uint32_t epoch;       /* 0: the whole mesh was reset together, else which restart of this site alone */
    uint32_t reliable;    /* 1: operators acknowledge and send again, 0: raw service */
};

enum { PR_SITE_IDENTITY_WORDS = 21, PR_NODE_DIVERT_NEVER = 0xffff /* divert_threshold: packets never divert */ };
static_assert(sizeof(struct pr_site_identity) == 4 * PR_SITE_IDENTITY_WORDS, "answers copy it as words");

/* Number of sites of the mesh. */
unsigned pr_site_identity_sites(const struct pr_site_identity *identity);

/* Address of a site, as in a site word. The site must be below pr_site_identity_sites(). */
uint32_t pr_site_identity_address(const struct pr_site_identity *identity, unsigned site);

/* The site that an address (strict bit ignored) belongs to, if it has one. */
unsigned pr_site_identity_site(const struct pr_site_identity *identity, uint32_t site_word);

/* The strict bit (U5) of a site word at this mesh's word width. */
uint32_t pr_site_identity_strict_bit(const struct pr_site_identity *identity);

/* The addresses that are a site of this mesh. Made once: small cores shift a bit a clock. */
struct pr_site_addresses {
    uint32_t mask; /* address bits of a site word, and those of its column (hypercube: none) */
    uint32_t column_mask;
    uint32_t columns;
    uint32_t end; /* of the addresses */
};

struct pr_site_addresses pr_site_identity_addresses(const struct pr_site_identity *identity);

/* True if the address of a site word (strict bit ignored) is one of them. */
static inline bool pr_site_addresses_have(const struct pr_site_addresses *addresses, uint32_t site_word)
{
    return (site_word & addresses->column_mask) < addresses->columns && (site_word & addresses->mask) < addresses->end;
}

#ifdef __cplusplus
}
#endif

#endif
