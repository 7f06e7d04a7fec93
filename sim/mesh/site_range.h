/* One item of a list of sites, in the users' notation: 3 or 4-6. The caller handles the separators between items.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MESH_SITE_RANGE_H
#define POSTROAD_MESH_SITE_RANGE_H

#include <stdbool.h>

enum site_range_result {
    SITE_RANGE_GOOD,
    SITE_RANGE_BAD_TEXT, /* neither N nor N-M with N <= M */
    SITE_RANGE_UNKNOWN,  /* the mesh has no site `wrong` */
    SITE_RANGE_TWICE     /* the site `wrong` is named a second time */
};

struct site_range {
    unsigned first, last;
    unsigned wrong; /* set unless the result is good or bad text */
};

/* Reads an item at *at, moves *at behind the item, and marks its sites in `named`, which has one flag for each site of
 * the mesh. */
enum site_range_result site_range_parse(const char **at, unsigned sites, bool *named, struct site_range *out);

#endif
