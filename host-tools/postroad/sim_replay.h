/* The words on links over time, for pages that show them (verb `report`), and where pictures of a mesh draw its sites
 * and links: grid and torus as they lie, y upwards, others on a circle.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_SIM_REPLAY_H
#define POSTROAD_POSTROAD_SIM_REPLAY_H

#include <stdio.h>

#include "postroad/sim_fields.h"

/* Both directions of a cable lie side by side; a link round a torus is a stub. */
struct link_arrow {
    double x, y, dx, dy;
};

/* False: the link leads nowhere. */
bool sim_replay_arrow(const struct mesh_config *mesh, int site, int link, struct link_arrow *out);

/* Writes a line of JSON, of the point with this number; none where nothing was recorded. */
void sim_replay_write(FILE *out, const struct sim_point *point, int number);

#endif
