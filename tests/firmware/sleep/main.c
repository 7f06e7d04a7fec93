/* An image that sleeps to a clock, to one that has passed, and to one across a turn of the low half; and asks for
 * relief. It ends with status 0, or with the line that did not hold.
 *
 * SPDX-License-Identifier: ISC
 */
#include "drivers/clint.h"
#include "platform/platform.h"

enum { LONG = 30000, SOON = 6000 }; /* SOON: what a slow core needs to come back, and to fall asleep and wake */

static struct pr_platform platform;

static void check(bool holds, unsigned line)
{
    if (!holds)
        pr_platform_end(line, "no");
}

static void sleeps_until(uint32_t clock)
{
    pr_platform_sleep(&platform, true, clock);
    check((uint32_t)pr_clint_time() - clock < SOON, __LINE__);
}

int main(void)
{
    uint32_t before;
    pr_platform_start(&platform, PR_PACKET_WORDS);
    before = pr_network_interface_clock(platform.interface);
    sleeps_until(before + LONG);
    sleeps_until(before + 2 * LONG);

    before = (uint32_t)pr_clint_time();
    pr_platform_sleep(&platform, true, before);
    pr_platform_sleep(&platform, true, before - LONG);
    check((uint32_t)pr_clint_time() - before < SOON, __LINE__);

    check(pr_clint_time_of_clock(0x1fffffff0, 0x10) == 0x200000010, __LINE__);
    check(pr_clint_time_of_clock(0x200000010, 0xfffffff0) == 0x200000010, __LINE__);
    check(pr_clint_time_of_clock(0x10, 0x7fffffff) == 0x7fffffff, __LINE__);

    pr_network_interface_relieve(platform.interface, true);
    check(pr_mmio_read(PR_NI_BASE + PR_NI_CONTROL) == 7, __LINE__);
    pr_network_interface_relieve(platform.interface, false);
    check(pr_mmio_read(PR_NI_BASE + PR_NI_CONTROL) == 3, __LINE__);
    pr_platform_end(0, "slept");
}
