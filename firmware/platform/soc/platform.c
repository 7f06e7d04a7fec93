/* See platform.h. */
#include "platform/soc/platform.h"

#include "drivers/clint.h"
#include "drivers/finisher.h"
#include "drivers/node_id.h"
#include "drivers/uart.h"

void platform_trap_entry(void);
_Noreturn void platform_trap(uint32_t cause, uint32_t pc);

/* Raw text: waits for the UART, for there is nothing else left to do. */
static void say(const char *text)
{
    while (*text != 0) {
        while (!uart_has_room())
            ;
        uart_put((uint8_t)*text++);
    }
}

static void say_hex(uint32_t value)
{
    char digit[2] = { 0 };

    for (int shift = 28; shift >= 0; shift -= 4) {
        digit[0] = "0123456789abcdef"[value >> shift & 0xf];
        say(digit);
    }
}

/* The core stops at the finisher: everything said must have left before. */
static _Noreturn void end(unsigned status)
{
    while (!uart_has_room())
        ;
    finisher_end(status);
}

_Noreturn void platform_end(unsigned status, const char *why)
{
    say("\r\n");
    say(why);
    say("\r\n");
    end(status);
}

_Noreturn void platform_trap(uint32_t cause, uint32_t pc)
{
    say("\r\ntrap: mcause ");
    say_hex(cause);
    say(" mepc ");
    say_hex(pc);
    say("\r\n");
    end(PLATFORM_TRAP);
}

void platform_start(struct platform *platform, uint16_t packet_words)
{
    __asm__ volatile("csrw mtvec, %0" : : "r"(platform_trap_entry));
    if (!node_id_read(&platform->identity))
        platform_end(PLATFORM_NOT_A_NODE, "no node ID block that this firmware knows");
    if (platform->identity.ram_bytes < FIRMWARE_RAM_BYTES)
        platform_end(PLATFORM_TOO_SMALL, "this node has less RAM than the firmware was built for");
    clint_wake_at(UINT64_MAX);
    platform->timer_set = false;
    soc_interface_init(&platform->interface, packet_words);
}

/* The network_interface's clock is mtime's low half. */
void platform_sleep(struct platform *platform, bool timed, uint32_t wake_clock)
{
    if (timed)
        clint_wake_at(clint_time_of_clock(clint_time(), wake_clock));
    else if (platform->timer_set)
        clint_wake_at(UINT64_MAX);
    platform->timer_set = timed;
    soc_interface_sleep(&platform->interface);
}
