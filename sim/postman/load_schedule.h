/* When each packet of a known pattern is loaded (R22). The lines that most packets share decide when the last one
 * arrives. Such a line carries packets without a gap, so that only the first and the last of them count: how far the
 * first has come until it reaches the line, and how far the last has to go behind it. By the rules near packets begin
 * first and those from far away are left for last. Here a near one is loaded later, and goes last.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTMAN_LOAD_SCHEDULE_H
#define POSTROAD_POSTMAN_LOAD_SCHEDULE_H

#include "postman/journeys.h"

/* Writes `clock` of the journeys, for both adaptive options off, in `runs` runs of the fast model at most. The last
 * packet arrives as early as before, or earlier. No two journeys are loaded into one machine. False without memory, or
 * if a packet does not arrive. */
bool postman_schedule_loads(const struct postman_grid *grid, struct postman_journey *journeys, unsigned count,
                            unsigned runs);

#endif
