/* The operator's API in one page: register a handler, send to a set of sites, poll.
 *
 * Site 0 greets every other site with one multicast; each says on its UART whom it was greeted by.
 */
#include "drivers/uart.h"
#include "operator/operator.h"
#include "platform/image_limits.h"
#include "platform/platform.h"

enum { GREETING = 1, TARGETS_MAX = 32 };

static struct platform platform;
static struct operator operator;
static PLATFORM_NOT_CLEARED uint32_t memory[OPERATOR_MEMORY_WORDS(POOL_SIZE, PACKET_WORDS, SITES_MAX)];
IMAGE_LIMITS_OF_OPERATOR(PACKET_WORDS, SITES_MAX);

static void greeted(void *context, const struct delivery *delivery)
{
    (void)context;
    while (!uart_has_room())
        ;
    uart_put((uint8_t)delivery->data[0]);
}

static void greet_all(void)
{
    static const uint32_t data[] = { '!' };
    struct target targets[TARGETS_MAX] = { 0 };
    unsigned count = 0;

    for (unsigned site = 1; site < node_identity_sites(&platform.identity) && count < TARGETS_MAX; site++)
        targets[count++].site = (uint16_t)site;
    operator_send(&operator, targets, count, GREETING, data, 1, NULL);
}

int main(void)
{
    static const struct operator_size size = { POOL_SIZE, PACKET_WORDS, WINDOW, SITES_MAX };
    uint32_t wake = 0;

    platform_start(&platform, PACKET_WORDS);
    operator_init(&operator, platform.interface, &platform.identity, memory, &size);
    operator_register(&operator, GREETING, greeted, NULL);
    if (platform.identity.site == 0)
        greet_all();
    for (;;) {
        if (operator_poll(&operator))
            continue;
        bool timed = operator_next_wake(&operator, &wake);
        platform_sleep(&platform, timed, wake);
    }
}
