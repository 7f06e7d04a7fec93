/* See sim_search.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/sim_search.h"

#include <math.h>

/* A search is over when its two loads are so close, as a share of the greater one, or both so low. */
static const double close_enough = 0.02, lowest = 1e-6;

void sim_search_begin(struct sim_search *search)
{
    *search = (struct sim_search){.gone = SIM_SEARCH_MOST};
}

double sim_search_load(const struct sim_search *search)
{
    return (search->held + search->gone) / 2;
}

static bool tells(enum experiment_end end)
{
    return end == END_COMPLETE || end == END_PARTIAL || end == END_LOCKED_UP;
}

void sim_search_take(struct sim_search *search, double load, const struct experiment_result *result)
{
    bool beyond = experiment_diverges(result) || result->end == END_LOCKED_UP;
    if (!tells(result->end)) {
        search->over = search->failed = true;
        return;
    }
    *(beyond ? &search->gone : &search->held) = load;
    search->over = search->gone - search->held <= close_enough * search->gone || search->gone < lowest;
}

void sim_search_conclude(const struct sim_search *searches, int count, struct sim_saturation *saturation)
{
    double widths = 0;
    *saturation = (struct sim_saturation){.searched = true, .least = SIM_SEARCH_MOST};
    for (int i = 0; i < count; i++) {
        const struct sim_search *search = &searches[i];
        saturation->least = fmin(saturation->least, search->gone);
        saturation->greatest = fmax(saturation->greatest, search->held);
        if (!search->over || search->failed || search->gone == SIM_SEARCH_MOST)
            continue;
        sample_add(&saturation->load, (search->held + search->gone) / 2);
        widths += (search->gone - search->held) / 2;
    }
    saturation->resolution = widths / saturation->load.count;
    saturation->complete = saturation->load.count == count;
}
