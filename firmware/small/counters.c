/* The counters of a site.
 *
 * SPDX-License-Identifier: ISC
 */
#include "small/small.h"

enum { COUNTERS = PR_COUNTER_REFUSED + 1 - PR_COUNTER_DELIVERED };

static uint32_t counters[COUNTERS];

void count(unsigned index)
{
    counters[index - PR_COUNTER_DELIVERED]++;
}

uint32_t counter(unsigned index)
{
    if (index < PR_COUNTER_DELIVERED || index >= PR_COUNTER_LINKS)
        return port_counter(index);
    if (index == PR_COUNTER_FREE_BUFFERS)
        return buffers_posted;
    index -= PR_COUNTER_DELIVERED;
    return index < COUNTERS ? counters[index] : 0;
}

void count_from(uint32_t free)
{
    counters[PR_COUNTER_FEWEST_FREE_BUFFERS - PR_COUNTER_DELIVERED] = free;
}

void count_fewest(uint32_t free)
{
    if (free < counters[PR_COUNTER_FEWEST_FREE_BUFFERS - PR_COUNTER_DELIVERED])
        count_from(free);
}
