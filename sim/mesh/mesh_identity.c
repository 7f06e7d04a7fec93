/* See mesh_identity.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/mesh_identity.h"

#include <string.h>

#include "mesh/discipline.h"
#include "mesh/mesh_straps.h"
#include "protocol.h"

/* The registers of the node ID block that show a strap. The identity has the fields of the block in its order. */
static void show_straps(struct pr_site_identity *identity, const uint32_t *straps)
{
    uint32_t words[PR_SITE_IDENTITY_WORDS];
    memcpy(words, identity, sizeof words);
#define SHOW(offset, low, width) words[(offset) / 4] = mesh_strap(straps, low, width);
    PR_STRAP_REGISTER_LIST(SHOW)
    memcpy(identity, words, sizeof words);
}

void mesh_identify_site(struct pr_site_identity *identity, const struct mesh_config *mesh, unsigned site,
                        uint32_t epoch)
{
    uint32_t straps[PR_STRAP_WORDS];
    *identity = (struct pr_site_identity){
        .map_version = PR_ID_MAP_VERSION_VALUE,
        .signature = PR_ID_SIGNATURE_VALUE,
        .word_width = (uint32_t)mesh->word_width,
        .ram_bytes = mesh->ram_bytes,
        .discipline = mesh->discipline->number,
    };
    mesh_straps(mesh, site, epoch, straps);
    show_straps(identity, straps);
    identity->site = site; /* the strap of a node has 16 bits: there are larger meshes, though none of hardware */
}
