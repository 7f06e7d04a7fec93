/* The kind of each site, which determines what runs its firmware, and the text form of kinds: `qemu` for all sites, or
 * `qemu:0-3,5,native:4`. A kind without sites, as in `qemu:0,native`, applies to all sites that the text does not name.
 * Without such a kind they get the program's default kind.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_SITE_KIND_H
#define POSTROAD_MESH_SITE_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "mesh/mesh.h"

/* The kinds: a row each, ROW(constant, name). A simulator that can run a kind has a table of functions of this name
 * (engine/site_functions.h).
 *   native: the firmware's sources, built into the simulator's own process
 *   core:   a verilated core runs the firmware's image
 *   qemu:   QEMU runs the image
 *   switch: none, for a fabric without an operator; the mesh says which sites these are, and no text does */
#define SITE_KINDS_NAMED(ROW) \
    ROW(SITE_NATIVE, native)  \
    ROW(SITE_CORE, core)      \
    ROW(SITE_QEMU, qemu)
#define SITE_KINDS(ROW)   \
    SITE_KINDS_NAMED(ROW) \
    ROW(SITE_SWITCH, switch)

#define SITE_KIND_CONSTANT(constant, name) constant,
enum site_kind { SITE_KINDS(SITE_KIND_CONSTANT) SITE_KIND_COUNT };
#undef SITE_KIND_CONSTANT

/* The names that a text may have in one string, a blank behind each. */
#define SITE_KIND_WORD(constant, name) #name " "
#define SITE_KIND_WORDS                SITE_KINDS_NAMED(SITE_KIND_WORD)

/* Fills `kinds`, one for each site. A site that the text does not name gets kind `rest`. 0, or -1 with "TEXT: reason,
 * expected ...". */
int site_kinds_parse(const char *text, const struct mesh_config *mesh, enum site_kind rest, enum site_kind *kinds,
                     char *error, size_t error_size);

/* True if some site, or every site that has an operator, is of this kind. */
bool site_kinds_have(const enum site_kind *kinds, int sites, enum site_kind kind);
bool site_kinds_all(const enum site_kind *kinds, int sites, enum site_kind kind);

#endif
