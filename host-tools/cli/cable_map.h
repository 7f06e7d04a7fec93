/* The cables of a mesh as scouts have found them, by the numbers of its sites.
 *
 * Nobody tells the number of a switch without an operator. With a .mesh file it gets the number that the file has for
 * the neighbour of most of its operators, and then of the switches beside it. Without one, or where the file has none,
 * switches get the last numbers that no operator has, in the order of their lowest operators.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_CABLE_MAP_H
#define POSTROAD_CLI_CABLE_MAP_H

#include "cli/scouts.h"

/* site: MAPPER_NOTHING, or MAPPER_UNSURE: something is there. link: MAPPER_UNSURE: of several cables between two
 * switches, any. */
struct cable_map_end {
    int site, link;
};

struct cable_map {
    const struct mesh_config *mesh;
    struct cable_map_end *ends; /* sites * links of the mesh */
    bool *switches;             /* by site: it was found, and has no operator */
    unsigned unsure;            /* ends whose far end is not certain */
    unsigned surplus;           /* switches for which the mesh has no number */
    bool too_far;               /* routes are too short for the rest of the mesh */
    unsigned long scouts;
};

/* Maps the mesh from the gateway; file may be NULL. `map->mesh` is the gateway's, which keeps its cables. Returns
 * EXIT_OK, or the exit code to end with after printing why. cable_map_free in either case. */
int cable_map_find(struct gateway *gateway, const struct mesh_config *file, struct cable_map *map);
void cable_map_free(struct cable_map *map);

/* The same from what the mapper has found. */
void cable_map_make(struct cable_map *map, const struct mapper *mapper, const struct mesh_config *mesh,
                    const struct mesh_config *file);

struct cable_map_end cable_map_end(const struct cable_map *map, int site, int link);

/* Makes the cables that were found those of a mesh, and the switches its switches. Of several cables
 * between two switches the first ports at both are joined, and so on. */
void cable_map_put(const struct cable_map *map, struct mesh_config *mesh);

#endif
