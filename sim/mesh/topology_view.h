/* The topologies of wire/topology.h as people see them, a row each: names of links, distances, places in a picture,
 * patterns of traffic. Host programs only.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_TOPOLOGY_VIEW_H
#define POSTROAD_MESH_TOPOLOGY_VIEW_H

#include "mesh/mesh.h"

enum { TOPOLOGY_TEXT = 48 };

struct topology_place {
    int column, row; /* y grows upwards */
};

struct topology_picture {
    int columns, rows;            /* 0: a list of sites and links is the picture */
    bool columns_wrap, rows_wrap; /* a link leads from the last to the first */
};

struct topology_view {
    const char *directions; /* what a user may write for a link, for messages */
    bool numbered;          /* and that is its number; else its name */
    bool cabled;            /* a far end has to be told of with its link, too */
    const char *link_axis;  /* of a plot of sites by links; NULL: links are plotted from place to place */
    void (*describe)(const struct mesh_config *mesh, char out[TOPOLOGY_TEXT]);
    const char *(*link_name)(int link); /* "east"; that of a numbered one lives until the next call */

    /* Is this the end from which a link is told of? Either end of a link leads away from it, and one does. */
    bool (*leads_away)(const struct mesh_config *mesh, int site, int link);

    /* Links on a shortest way, changes of dimension on a dimension-ordered way, and the longest shortest way. */
    int (*hops)(const struct mesh_config *mesh, int from, int to);
    int (*turns)(const struct mesh_config *mesh, int from, int to);
    int (*diameter)(const struct mesh_config *mesh);

    /* The picture, and where a site is in it; the site in the middle. */
    struct topology_picture (*picture)(const struct mesh_config *mesh);
    struct topology_place (*place)(const struct mesh_config *mesh, int site);
    int (*middle)(const struct mesh_config *mesh);

    /* Patterns: the target of a site. `transposed` is asked only where the mesh is square. NULL: there is no such
     * pattern. */
    bool (*square)(const struct mesh_config *mesh);
    int (*transposed)(const struct mesh_config *mesh, int site);
    int (*tornado)(const struct mesh_config *mesh, int site);
};

const struct topology_view *topology_view(const struct mesh_config *mesh);

/* "grid 4x4"; returns `out`. */
const char *topology_describe(const struct mesh_config *mesh, char out[TOPOLOGY_TEXT]);

/* "east", ..., or "dimension 3"; the answer lives until the next call for a hypercube. */
const char *mesh_link_name(const struct mesh_config *mesh, int link);

int mesh_hops(const struct mesh_config *mesh, int from, int to);
int mesh_turns(const struct mesh_config *mesh, int from, int to);
int mesh_diameter(const struct mesh_config *mesh);

#endif
