/* An image that traps as soon as it has started, by the one exception that all cores report alike.
 *
 * SPDX-License-Identifier: ISC
 */
#include "platform/platform.h"

static struct pr_platform platform;

int main(void)
{
    pr_platform_start(&platform, PR_PACKET_WORDS);
    __asm__ volatile("ecall");
    return 0;
}
