/* The identity of a site and of its mesh: the node ID block, field by field and in its order, and the build id of the
 * firmware that runs there, and what that firmware has.
 *
 * Nothing of a mesh is compiled into firmware: it reads everything from here at run time. For native sites the
 * simulator fills it in.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_SITE_IDENTITY_H
#define POSTROAD_WIRE_SITE_IDENTITY_H

#include "wire/topology.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "console_protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PR_SITE_IDENTITY_WORDS = 21, /* of the node ID block */
    PR_BUILD_ID_WORDS = 2,
    PR_BUILD_ID_BYTES = 4 * PR_BUILD_ID_WORDS,
    PR_SITE_IDENTITY_SERVES = PR_SITE_IDENTITY_WORDS + PR_BUILD_ID_WORDS,
    PR_SITE_IDENTITY_ALL_WORDS = PR_SITE_IDENTITY_SERVES + 1,
    PR_NODE_DIVERT_NEVER = 0xffff /* divert_threshold: packets never divert */
};

struct pr_site_identity {
    uint32_t map_version;
    uint32_t site;    /* site number: y*size_x + x, on a hypercube the address */
    uint32_t address; /* as in the low bits of a site word */
    __extension__ union {
        __extension__ struct {
            uint32_t topology; /* PR_TOPOLOGY_* */
            uint32_t signature;
            uint32_t size_x;     /* hypercube: dimensions */
            uint32_t size_y;     /* hypercube: 1 */
            uint32_t word_width; /* 16 or 32 */
        };
        struct pr_shape shape; /* the same words */
    };
    uint32_t links; /* mask of connected links */
    uint32_t clock_hz;
    uint32_t ram_bytes;
    uint32_t mesh_hash;
    uint32_t divert_threshold;
    uint32_t abort_threshold;
    uint32_t link_clocks; /* of a word on the slowest link */
    uint32_t max_packet;  /* target words + data words */
    uint32_t discipline;
    uint32_t time_hz;     /* rate of mtime */
    uint32_t retry_limit; /* aborted tries of a multicast before its rest goes as unicasts (O6) */
    uint32_t epoch;       /* 0: the whole mesh was reset together, else which restart of this site alone */
    uint32_t reliable;    /* 1: operators acknowledge and send again, 0: raw service */
    /* The first bytes of the ELF file's GNU build id, low byte first; 0: unknown. */
    uint32_t build_id[PR_BUILD_ID_WORDS];
    uint32_t serves; /* PR_SERVES_*. Only answers have it. */
};

static_assert(offsetof(struct pr_site_identity, build_id) == 4 * PR_SITE_IDENTITY_WORDS, "the ID block is before it");
static_assert(offsetof(struct pr_site_identity, serves) == 4 * PR_SITE_IDENTITY_SERVES, "answers have it last");
static_assert(sizeof(struct pr_site_identity) == 4 * PR_SITE_IDENTITY_ALL_WORDS, "answers copy it as words");
static_assert(offsetof(struct pr_site_identity, word_width) == offsetof(struct pr_site_identity, shape.word_width),
              "the shape has the words of the block in their order");

/* The functions of topology.h, for the mesh of an identity. */
unsigned pr_site_identity_sites(const struct pr_site_identity *identity);
uint32_t pr_site_identity_address(const struct pr_site_identity *identity, unsigned site);
unsigned pr_site_identity_site(const struct pr_site_identity *identity, uint32_t site_word);
struct pr_site_addresses pr_site_identity_addresses(const struct pr_site_identity *identity);

/* The mark of a site word (M10, M11) at this mesh's word width. */
uint32_t pr_site_identity_mark_bit(const struct pr_site_identity *identity);

#ifdef __cplusplus
}
#endif

#endif
