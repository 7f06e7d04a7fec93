/* See platform.h. */
#include "platform/platform.h"

#include "drivers/clint.h"
#include "drivers/finisher.h"
#include "drivers/node_id.h"
#include "drivers/uart.h"
#include "platform/image_limits.h"
#include "platform/qemu/virt_machine.h"

IMAGE_LIMIT(image_ram_bytes, FIRMWARE_RAM_BYTES);

void platform_trap_entry(void);
_Noreturn void platform_trap(uint32_t cause, uint32_t pc, uint32_t return_address);

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

/* A line that the host knows (host-tools/daemon/crash.c). The zero byte ends a frame that may have been underway. */
_Noreturn void platform_trap(uint32_t cause, uint32_t pc, uint32_t return_address)
{
    while (!uart_has_room())
        ;
    uart_put(0);
    say("\r\ntrap: mcause ");
    say_hex(cause);
    say(" mepc ");
    say_hex(pc);
    say(" ra ");
    say_hex(return_address);
    say("\r\n");
    end(PLATFORM_TRAP);
}

static void start_on_node(struct platform *platform, uint16_t packet_words)
{
    if (!node_id_read(&platform->identity))
        platform_end(PLATFORM_NOT_A_NODE, "no node ID block that this firmware knows");
    clint_wake_at(UINT64_MAX);
    platform->timer_set = false;
    soc_interface_init(&platform->soc, packet_words);
    platform->interface = &platform->soc.interface;
}

/* QEMU's machine has more RAM than a node: what only this back end needs lies behind a node's. */
static void start_under_qemu(struct platform *platform, uint16_t packet_words)
{
    _Static_assert(PACKET_WORDS <= RECORD_PACKET_WORDS_MAX, "every packet fits a record");
    platform->qemu = (struct qemu_interface *)(RAM_BASE + FIRMWARE_RAM_BYTES);
    if (!qemu_interface_start(platform->qemu, packet_words, &platform->identity))
        platform_end(PLATFORM_NOT_A_NODE, "no virtio console to reach a fabric by");
    platform->interface = &platform->qemu->interface;
}

void platform_start(struct platform *platform, uint16_t packet_words)
{
    __asm__ volatile("csrw mtvec, %0" : : "r"(platform_trap_entry));
    platform->qemu = NULL;
    if (mmio_read(ID_BASE + ID_SIGNATURE) == VIRT_SIGNATURE)
        start_under_qemu(platform, packet_words);
    else
        start_on_node(platform, packet_words);
    if (platform->identity.ram_bytes < FIRMWARE_RAM_BYTES)
        platform_end(PLATFORM_TOO_SMALL, "this node has less RAM than the firmware was built for");
}

/* On a node the network_interface's clock is mtime's low half. */
void platform_sleep(struct platform *platform, bool timed, uint32_t wake_clock)
{
    if (platform->qemu != NULL) {
        qemu_interface_sleep(platform->qemu, timed, wake_clock);
        return;
    }
    if (timed)
        clint_wake_at(clint_time_of_clock(clint_time(), wake_clock));
    else if (platform->timer_set)
        clint_wake_at(UINT64_MAX);
    platform->timer_set = timed;
    soc_interface_sleep(&platform->soc);
}

bool platform_console_read(struct platform *platform, uint8_t *byte)
{
    if (platform->qemu != NULL)
        return qemu_interface_console_read(platform->qemu, byte);
    if (!uart_has_byte())
        return false;
    *byte = uart_get();
    return true;
}

bool platform_console_write(struct platform *platform, uint8_t byte)
{
    if (platform->qemu != NULL)
        qemu_interface_await_room(platform->qemu);
    if (!uart_has_room())
        return false;
    uart_put(byte);
    return true;
}
