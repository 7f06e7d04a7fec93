/* See capture_writer.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "analyser/capture_writer.h"

#include <inttypes.h>

void capture_rate_text(uint64_t rate_hz, char *out, size_t size)
{
    static const char *const units[] = {"Hz", "kHz", "MHz", "GHz"};
    enum { UNITS = sizeof units / sizeof *units, STEP = 1000 };
    unsigned unit = 0;
    for (; unit + 1 < UNITS && rate_hz && rate_hz % STEP == 0; unit++)
        rate_hz /= STEP;
    snprintf(out, size, "%" PRIu64 " %s", rate_hz, units[unit]);
}
