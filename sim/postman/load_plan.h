/* Into which machine each packet of a known pattern is loaded (R20): the corner of its way is chosen so that the lines
 * are loaded evenly. Packets that keep to such ways, both adaptive options off, transpose a matrix in two thirds of the
 * clocks that adaptive ones take: those meet in the middle of the grid.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTMAN_LOAD_PLAN_H
#define POSTROAD_POSTMAN_LOAD_PLAN_H

#include "postman/journeys.h"

/* Writes `first` of the journeys that move in both dimensions; it keeps its value where both ways are as good. False
 * without memory. */
bool postman_plan_loads(const struct postman_grid *grid, struct postman_journey *journeys, unsigned count);

#endif
