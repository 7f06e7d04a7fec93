/* The load at which a mesh saturates, by bisection: each run is at the middle between the greatest load seen not
 * saturated and the least seen saturated. One search has one seed; searches with other seeds tell how certain its end
 * is.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_SIM_SEARCH_H
#define POSTROAD_POSTROAD_SIM_SEARCH_H

#include "postroad/sim_fields.h"

struct sim_search {
    double held, gone; /* these loads; 0: none held; SIM_SEARCH_MOST: none was saturated */
    bool over, failed; /* a run did not come to an end that tells */
};

/* The greatest load; it is never tried itself. */
#define SIM_SEARCH_MOST 1.0

void sim_search_begin(struct sim_search *search);

/* The load of the next run of a search that is not over. */
double sim_search_load(const struct sim_search *search);

/* Its result. */
void sim_search_take(struct sim_search *search, double load, const struct experiment_result *result);

/* What the searches of a case have found. */
void sim_search_conclude(const struct sim_search *searches, int count, struct sim_saturation *saturation);

#endif
