/* An application of the small operator that measures its stack on a core: a packet for handler MEASURE sets the counter
 * targets_failed, which this image does not use otherwise, to the words between the variables and the stack that
 * nothing has written to. A simulated RAM is 0 there at first.
 *
 * SPDX-License-Identifier: ISC
 */
#include "small/small.h"

enum { MEASURE = 3 };

extern const uint32_t __bss_end[], __stack[];

void pr_small_delivered(const struct pr_small_delivery *delivery)
{
    if (delivery->handler != MEASURE || counter(PR_COUNTER_TARGETS_FAILED) != 0)
        return;
    for (const uint32_t *word = __bss_end; word < __stack && *word == 0; word++)
        count(PR_COUNTER_TARGETS_FAILED);
}

bool pr_small_poll(void)
{
    return false;
}
