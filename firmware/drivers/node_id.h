/* Node ID block: the node's site number, mesh and hardware version.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DRIVERS_NODE_ID_H
#define POSTROAD_DRIVERS_NODE_ID_H

#include <stdbool.h>

#include "drivers/mmio.h"
#include "protocol.h"
#include "wire/site_identity.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PR_NODE_ID_MAP_VERSION = PR_ID_MAP_VERSION_VALUE, PR_NODE_ID_SIGNATURE = PR_ID_SIGNATURE_VALUE };

/* False if the machine is not a node of this kit, or has another register map; identity is not touched then. Under QEMU
 * these addresses belong to another device, of which only this word may be read. */
static inline bool pr_node_id_read(struct pr_site_identity *identity)
{
    uint32_t *words = &identity->map_version;
    if (pr_mmio_read(PR_ID_BASE + PR_ID_SIGNATURE) != PR_NODE_ID_SIGNATURE ||
        pr_mmio_read(PR_ID_BASE + PR_ID_MAP_VERSION) != PR_NODE_ID_MAP_VERSION)
        return false;
    for (unsigned k = 0; k < PR_SITE_IDENTITY_WORDS; k++)
        words[k] = pr_mmio_read(PR_ID_BASE + 4 * k);
    return true;
}

#ifdef __cplusplus
}
#endif

#endif
