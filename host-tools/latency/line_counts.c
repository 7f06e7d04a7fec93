/* See line_counts.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/line_counts.h"

enum { PULSES_MIN = 32 };

uint64_t line_counts_good(const struct line_counts *counts)
{
    uint64_t sum = 0;
    for (unsigned port = 0; port < LINE_PORTS; port++)
        sum += counts->ports[port];
    return sum;
}

enum line_links line_counts_links(const struct line_counts *counts)
{
    if (counts->statuses == 0)
        return LINE_LINKS_UNKNOWN;
    return 2 * counts->eager > counts->statuses ? LINE_LINKS_EAGER : LINE_LINKS_SHARED;
}

const char *line_links_name(enum line_links links)
{
    static const char *const names[] = {[LINE_LINKS_SHARED] = "shared", [LINE_LINKS_EAGER] = "eager"};
    return names[links];
}

double line_counts_bit(const struct line_counts *counts)
{
    uint64_t all = 0, near = 0;
    double sum = 0;
    unsigned shortest = 1;
    for (unsigned i = 1; i < LINE_PULSES; i++)
        all += counts->pulses[i];
    if (all < PULSES_MIN)
        return 0;
    while (shortest < LINE_PULSES - 1 && counts->pulses[shortest] + counts->pulses[shortest + 1] < all / 20)
        shortest++;
    for (unsigned i = shortest; i < LINE_PULSES - 1 && i <= shortest + 1 + shortest / 4; i++) {
        near += counts->pulses[i];
        sum += (double)counts->pulses[i] * i;
    }
    return near ? sum / (double)near : 0;
}
