/* An image for benches: sends packets to the next site as fast as they are taken, and says on the UART, a byte for each
 * STREAM_REPORT packets, how many have come.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/operator.h"
#include "platform/platform.h"
#include "stream.h"

static struct pr_platform platform;
static struct pr_operator op;
static PR_PLATFORM_NOT_CLEARED uint32_t memory[PR_OPERATOR_MEMORY_WORDS(PR_POOL_SIZE, PR_PACKET_WORDS, PR_SITES_MAX)];
static unsigned unreported;

static void take(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    (void)delivery;
    if (++unreported >= STREAM_REPORT && pr_platform_console_write(&platform, '.'))
        unreported -= STREAM_REPORT;
}

static bool send(struct pr_target next)
{
    static const uint32_t data[STREAM_WORDS];
    return pr_operator_send(&op, &next, 1, STREAM_HANDLER, data, STREAM_WORDS, NULL) == 0;
}

int main(void)
{
    static const struct pr_operator_size size = {PR_POOL_SIZE, PR_PACKET_WORDS, PR_WINDOW, PR_SITES_MAX};
    struct pr_target next = {0};
    uint32_t wake = 0;
    pr_platform_start(&platform, PR_PACKET_WORDS);
    pr_operator_init(&op, platform.interface, &platform.identity, memory, &size);
    pr_operator_register(&op, STREAM_HANDLER, take, NULL);
    next.site = (uint16_t)((platform.identity.site + 1) % pr_site_identity_sites(&platform.identity));
    for (;;) {
        bool busy = pr_operator_poll(&op), timed;
        while (send(next))
            busy = true;
        if (busy)
            continue;
        timed = pr_operator_next_wake(&op, &wake);
        pr_platform_sleep(&platform, timed, wake);
    }
}
