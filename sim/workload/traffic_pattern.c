/* See traffic_pattern.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "workload/traffic_pattern.h"

#include "mesh/topology_view.h"

bool traffic_pattern_is_fixed(enum traffic_pattern pattern)
{
    return pattern == TRAFFIC_TRANSPOSE || pattern == TRAFFIC_TORNADO || pattern == TRAFFIC_BIT_COMPLEMENT ||
           pattern == TRAFFIC_BIT_REVERSE || pattern == TRAFFIC_SHUFFLE || pattern == TRAFFIC_PERMUTATION;
}

static bool is_power_of_two(int number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

const char *traffic_pattern_objection(const struct mesh_config *mesh, enum traffic_pattern pattern)
{
    const struct topology_view *view = topology_view(mesh);
    int sites = mesh_operators(mesh);
    if (pattern == TRAFFIC_TRANSPOSE && !view->square(mesh))
        return "no transpose here, expected a square mesh or a hypercube of even dimension";
    if (pattern == TRAFFIC_TORNADO && !view->tornado)
        return "no tornado here, expected a grid or a torus";
    if (pattern == TRAFFIC_NEIGHBOUR && sites < mesh->sites)
        return "no neighbours here, expected a mesh without switches";
    if ((pattern == TRAFFIC_BIT_REVERSE || pattern == TRAFFIC_SHUFFLE) && !is_power_of_two(sites))
        return "no such bits here, expected 2, 4, 8, 16, ... sites with an operator";
    if (pattern == TRAFFIC_ASYMMETRIC && sites % 2 != 0)
        return "no halves here, expected an even number of sites with an operator";
    return NULL;
}

static uint32_t reverse(uint32_t index, uint32_t count)
{
    uint32_t reversed = 0;
    for (uint32_t bit = 1; bit < count; bit *= 2)
        reversed = 2 * reversed | (index / bit & 1);
    return reversed;
}

/* The highest bit becomes the lowest one. */
static uint32_t rotate(uint32_t index, uint32_t count)
{
    return 2 * index < count ? 2 * index : 2 * index - count + 1;
}

static uint32_t partner(const struct mesh_config *mesh, enum traffic_pattern pattern, const uint32_t *sites,
                        uint32_t count, uint32_t index)
{
    int site = (int)sites[index];
    switch (pattern) {
    case TRAFFIC_TRANSPOSE:
        return (uint32_t)topology_view(mesh)->transposed(mesh, site);
    case TRAFFIC_TORNADO:
        return (uint32_t)topology_view(mesh)->tornado(mesh, site);
    case TRAFFIC_BIT_COMPLEMENT:
        return sites[count - 1 - index];
    case TRAFFIC_BIT_REVERSE:
        return sites[reverse(index, count)];
    case TRAFFIC_SHUFFLE:
        return sites[rotate(index, count)];
    case TRAFFIC_ASYMMETRIC:
        return index % (count / 2);
    default:
        return sites[index];
    }
}

/* From a random stream that is no site's, and not that of the groups. */
static void permute(const uint32_t *sites, uint32_t count, uint64_t seed, uint32_t *partners)
{
    struct random random;
    random_seed(&random, seed, UINT64_MAX - 1);
    for (uint32_t left = count; left > 1; left--) {
        uint32_t *last = &partners[sites[left - 1]], *other = &partners[sites[random_below(&random, left)]];
        uint32_t moved = *last;
        *last = *other;
        *other = moved;
    }
}

void traffic_pattern_partners(const struct mesh_config *mesh, const struct traffic_options *options,
                              const uint32_t *sites, uint32_t count, uint32_t *partners)
{
    for (uint32_t index = 0; index < count; index++)
        partners[sites[index]] = partner(mesh, options->pattern, sites, count, index);
    if (options->pattern == TRAFFIC_PERMUTATION)
        permute(sites, count, options->seed, partners);
}
