/* The node's firmware: operator and console, asleep whenever there is nothing to do. */
#include "apps/node/node.h"
#include "drivers/uart.h"
#include "platform/soc/platform.h"

static struct platform platform;
static struct node node;
static uint32_t pool[POOL_SIZE * PACKET_BUFFER_WORDS(PACKET_WORDS)];

/* Bytes on their way between the UART and the console. */
static struct {
    uint8_t input, output[16];
    bool has_input;
    uint8_t next, end;
} uart;

static bool move_input(void)
{
    bool moved = false;

    while (uart.has_input || uart_has_byte()) {
        if (!uart.has_input)
            uart.input = uart_get();
        uart.has_input = node_console_write(&node, &uart.input, 1) == 0;
        if (uart.has_input)
            return moved;
        moved = true;
    }
    return moved;
}

/* True while something waits to be sent: there is no waking for a UART that has room again. */
static bool move_output(void)
{
    if (uart.next == uart.end) {
        uart.next = 0;
        uart.end = (uint8_t)node_console_read(&node, uart.output, sizeof uart.output);
    }
    while (uart.next < uart.end && uart_has_room())
        uart_put(uart.output[uart.next++]);
    return uart.end > 0;
}

int main(void)
{
    platform_start(&platform, PACKET_WORDS);
    if (node_init(&node, &platform.interface.interface, &platform.identity, pool, POOL_SIZE, PACKET_WORDS) != 0)
        platform_end(PLATFORM_TOO_SMALL, "this mesh's packets are longer than the firmware's buffers");
    for (;;) {
        bool busy = node_poll(&node);

        busy |= move_input();
        busy |= move_output();
        if (!busy)
            platform_sleep(&platform);
    }
}
