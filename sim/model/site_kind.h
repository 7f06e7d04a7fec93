/* What runs the firmware of each site of a mesh, and how users write it: `qemu` for all sites, or
 * `qemu:0-3,5,native:4`, in which sites that are not named are what they would be anyway, or of the kind that is named
 * alone: `qemu:0,native`.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MODEL_SITE_KIND_H
#define POSTROAD_MODEL_SITE_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "model/mesh.h"

/* The simulator's own process, a verilated core, or QEMU. */
enum site_kind { SITE_NATIVE, SITE_CORE, SITE_QEMU };

/* Fills `kinds`, one a site. Sites that are not named are of kind `rest`. 0, or -1 with "TEXT: reason, expected ...".
 */
int site_kinds_parse(const char *text, const struct mesh_config *mesh, enum site_kind rest, enum site_kind *kinds,
                     char *error, size_t error_size);

/* True if some site is of this kind. */
bool site_kinds_have(const enum site_kind *kinds, int sites, enum site_kind kind);

#endif
