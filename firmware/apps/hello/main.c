/* The operator's API in one page: register a handler, send to a set of sites, poll.
 *
 * Site 0 greets every other site with one multicast. Each of these sites writes on its UART which site has greeted it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "drivers/uart.h"
#include "operator/operator.h"
#include "platform/image_limits.h"
#include "platform/platform.h"

enum { GREETING = 1, TARGETS_MAX = 32 };

static struct pr_platform platform;
static struct pr_operator op;
static PR_PLATFORM_NOT_CLEARED uint32_t memory[PR_OPERATOR_MEMORY_WORDS(PR_POOL_SIZE, PR_PACKET_WORDS, PR_SITES_MAX)];
PR_IMAGE_LIMITS_OF_OPERATOR(PR_PACKET_WORDS, PR_SITES_MAX);
PR_IMAGE_LIMIT(pr_image_relays, 1);

static void greeted(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    while (!pr_uart_has_room())
        ;
    pr_uart_put((uint8_t)delivery->data[0]);
}

static void greet_all(void)
{
    static const uint32_t data[] = {'!'};
    struct pr_target targets[TARGETS_MAX] = {0};
    unsigned count = 0;
    for (unsigned site = 1; site < pr_site_identity_sites(&platform.identity) && count < TARGETS_MAX; site++)
        targets[count++].site = site;
    pr_operator_send(&op, targets, count, GREETING, data, 1, NULL);
}

int main(void)
{
    static const struct pr_operator_size size = {PR_POOL_SIZE, PR_PACKET_WORDS, PR_WINDOW, PR_SITES_MAX};
    uint32_t wake = 0;
    pr_platform_start(&platform, PR_PACKET_WORDS);
    pr_operator_init(&op, platform.interface, &platform.identity, memory, &size);
    pr_operator_register(&op, GREETING, greeted, NULL);
    if (platform.identity.site == 0)
        greet_all();
    for (;;) {
        if (pr_operator_poll(&op))
            continue;
        bool timed = pr_operator_next_wake(&op, &wake);
        pr_platform_sleep(&platform, timed, wake);
    }
}
