/* An image for benches: sends packets to the next site as fast as they are taken, and says on the UART, a byte for each
 * STREAM_REPORT packets, how many have come. */
#include "operator/operator.h"
#include "platform/platform.h"
#include "stream.h"

static struct platform platform;
static struct operator operator;
static PLATFORM_NOT_CLEARED uint32_t memory[OPERATOR_MEMORY_WORDS(POOL_SIZE, PACKET_WORDS, SITES_MAX)];
static unsigned unreported;

static void take(void *context, const struct delivery *delivery)
{
    (void)context;
    (void)delivery;
    if (++unreported >= STREAM_REPORT && platform_console_write(&platform, '.'))
        unreported -= STREAM_REPORT;
}

static bool send(struct target next)
{
    static const uint32_t data[STREAM_WORDS];

    return operator_send(&operator, &next, 1, STREAM_HANDLER, data, STREAM_WORDS, NULL) == 0;
}

int main(void)
{
    static const struct operator_size size = { POOL_SIZE, PACKET_WORDS, WINDOW, SITES_MAX };
    struct target next = { 0 };
    uint32_t wake = 0;

    platform_start(&platform, PACKET_WORDS);
    operator_init(&operator, platform.interface, &platform.identity, memory, &size);
    operator_register(&operator, STREAM_HANDLER, take, NULL);
    next.site = (uint16_t)((platform.identity.site + 1) % node_identity_sites(&platform.identity));
    for (;;) {
        bool busy = operator_poll(&operator), timed;

        while (send(next))
            busy = true;
        if (busy)
            continue;
        timed = operator_next_wake(&operator, &wake);
        platform_sleep(&platform, timed, wake);
    }
}
