/* See two_clocks.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/two_clocks.h"

/* True if a is behind b on the circle of 32-bit differences. */
static bool is_behind(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

void two_clocks_add(struct two_clocks *clocks, uint32_t out, uint32_t back)
{
    uint32_t both = out + back, low = (uint32_t)0 - back;
    if (!clocks->count || both < clocks->least)
        clocks->least = both;
    if (!clocks->count || is_behind(clocks->low, low))
        clocks->low = low;
    if (!clocks->count || is_behind(out, clocks->high))
        clocks->high = out;
    clocks->apart |= is_behind(clocks->high, clocks->low);
    clocks->sum += both;
    clocks->count++;
}

bool two_clocks_offset(const struct two_clocks *clocks, int64_t *low, int64_t *high)
{
    if (!clocks->count || clocks->apart)
        return false;
    *low = (int32_t)clocks->low;
    *high = *low + (clocks->high - clocks->low);
    return true;
}
