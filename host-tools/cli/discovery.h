/* Discovery of a mesh: reads the identity of every site, and compares both ends of every link. Of links between boards
 * it reads which board the cable leads to. Where scouts have found the cables (cable_map.h), those are compared with
 * the ones of the mesh.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_DISCOVERY_H
#define POSTROAD_CLI_DISCOVERY_H

#include "cli/cable_map.h"
#include "cli/gateway.h"

enum link_state {
    LINK_NONE,    /* leads over the edge */
    LINK_GOOD,    /* both ends report it as connected; of a switch and a site, that one does */
    LINK_ONE_WAY, /* only one end does */
    LINK_MISSING, /* neither does */
    LINK_WRONG,   /* a cable leads to a board or switch that is not the neighbour, or to any where the mesh has none */
    LINK_UNKNOWN, /* neither end answers, or only one end, and that one reports the link as connected; scouts: there is
                     a cable, but not for certain this one */
    LINK_UNASKED  /* both ends are switches, which nobody answers for */
};

struct discovery {
    const struct mesh_config *mesh;
    const struct cable_map *cables; /* that scouts have found; NULL: no scouts were sent */
    unsigned part_words;            /* of an identity in one answer */
    unsigned *asked;                /* the sites that have an operator */
    unsigned asked_count;
    unsigned *parts; /* that a site has answered */
    bool *present;   /* all of them */
    struct pr_site_identity *identities;
    struct link_rows *rows; /* of links between boards, else not answered */
    /* Complaints about sites that answered, one line each. */
    size_t complaints;
    char (*complaint)[160];
};

/* Reads the identities of all sites; with --json their build ids too. Returns EXIT_OK even if some sites are silent;
 * otherwise the exit code to end with. The caller frees the discovery in either case. */
int discovery_run(struct gateway *gateway, const struct cable_map *cables, struct discovery *discovery);
void discovery_free(struct discovery *discovery);

size_t discovery_present(const struct discovery *discovery);
enum link_state discovery_link(const struct discovery *discovery, int site, int link);
const char *discovery_link_text(enum link_state state);

/* The site, and its link if scouts have found it, else -1, that a wrong cable at a site's link leads to; site -1: none
 * does. */
struct cable_map_end discovery_wrong_end(const struct discovery *discovery, int site, int link);

/* Draws grid, torus and small hypercubes with lines, large hypercubes and graphs as a list. */
void discovery_draw(const struct discovery *discovery, int gateway_site);

#endif
