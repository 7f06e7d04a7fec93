/* See platform.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "platform/platform.h"

#include "drivers/board.h"
#include "drivers/clint.h"
#include "drivers/finisher.h"
#include "drivers/node_id.h"
#include "drivers/uart.h"
#include "platform/qemu/virt_machine.h"

extern const uint32_t pr_build_id[PR_BUILD_ID_WORDS]; /* postroad.ld */
extern uint8_t __site_end[];                          /* postroad.ld: behind the RAM that the image is linked for */
void pr_platform_trap_entry(void);
_Noreturn void pr_platform_trap(uint32_t cause, uint32_t pc, uint32_t return_address);

/* Writes raw text. It waits for the UART, since the program has nothing else left to do. */
static void say(const char *text)
{
    while (*text != 0) {
        while (!pr_uart_has_room())
            ;
        pr_uart_put((uint8_t)*text++);
    }
}

static void say_hex(uint32_t value)
{
    char digit[2] = {0};
    for (int shift = 28; shift >= 0; shift -= 4) {
        digit[0] = "0123456789abcdef"[value >> shift & 0xf];
        say(digit);
    }
}

/* The core stops at the finisher, so all output must have left the UART before. */
static _Noreturn void end(unsigned status)
{
    while (!pr_uart_has_room())
        ;
    pr_finisher_end(status);
}

_Noreturn void pr_platform_end(unsigned status, const char *why)
{
    say("\r\n");
    say(why);
    say("\r\n");
    end(status);
}

/* The host parses this line (host-tools/daemon/crash.c). The zero byte ends a frame that may have been in transit. */
_Noreturn void pr_platform_trap(uint32_t cause, uint32_t pc, uint32_t return_address)
{
    while (!pr_uart_has_room())
        ;
    pr_uart_put(0);
    say("\r\ntrap: mcause ");
    say_hex(cause);
    say(" mepc ");
    say_hex(pc);
    say(" ra ");
    say_hex(return_address);
    say("\r\n");
    end(PR_PLATFORM_TRAP);
}

/* For a board without a boot ROM: build/make_boot_image writes it into the image. */
__attribute__((used, section(".rodata.site_record")))
const struct pr_image_record pr_site_record = {.magic = PR_SITE_RECORD_PLACE};

static void start_on_node(struct pr_platform *platform, uint16_t packet_words)
{
    if (pr_board_present())
        pr_board_start(&pr_site_record);
    if (!pr_node_id_read(&platform->identity))
        pr_platform_end(PR_PLATFORM_NOT_A_NODE, "no node ID block that this firmware knows");
    pr_clint_wake_at(UINT64_MAX);
    platform->timer_set = false;
    pr_ni_dma_init(&platform->soc, packet_words);
    platform->interface = &platform->soc.interface;
}

/* QEMU's machine has more RAM than a node. Data that only this back end needs lie above that of any node. */
static void start_under_qemu(struct pr_platform *platform, uint16_t packet_words)
{
    _Static_assert(PR_PACKET_WORDS <= PR_RECORD_PACKET_WORDS_MAX, "every packet fits a record");
    platform->qemu = (struct pr_ni_records *)PR_RECORDS_BASE;
    if (!pr_ni_records_start(platform->qemu, packet_words, &platform->identity))
        pr_platform_end(PR_PLATFORM_NOT_A_NODE, "no virtio console to reach a fabric by");
    platform->interface = &platform->qemu->interface;
}

void pr_platform_start(struct pr_platform *platform, uint16_t packet_words)
{
    __asm__ volatile("csrw mtvec, %0" : : "r"(pr_platform_trap_entry));
    platform->qemu = NULL;
    for (unsigned k = 0; k < PR_BUILD_ID_WORDS; k++)
        platform->identity.build_id[k] = pr_build_id[k];
    if (pr_mmio_read(PR_ID_BASE + PR_ID_SIGNATURE) == PR_VIRT_SIGNATURE)
        start_under_qemu(platform, packet_words);
    else
        start_on_node(platform, packet_words);
    if (platform->identity.ram_bytes < (uintptr_t)__site_end - PR_RAM_BASE)
        pr_platform_end(PR_PLATFORM_TOO_SMALL, "this node has less RAM than the firmware was built for");
}

/* On a node the network_interface's clock is mtime's low half. */
void pr_platform_sleep(struct pr_platform *platform, bool timed, uint32_t wake_clock)
{
    if (platform->qemu) {
        pr_ni_records_sleep(platform->qemu, timed, wake_clock);
        return;
    }
    if (timed)
        pr_clint_wake_at(pr_clint_time_of_clock(pr_clint_time(), wake_clock));
    else if (platform->timer_set)
        pr_clint_wake_at(UINT64_MAX);
    platform->timer_set = timed;
    pr_ni_dma_sleep(&platform->soc);
}

void pr_platform_take_load(const struct pr_platform *platform, const uint32_t *data, unsigned words)
{
    enum { RECORD = PR_LOAD_PACKET_RECORD - PR_HEADER_WORDS };
    const uint32_t *halves = data + RECORD;
    if (platform->qemu || words != RECORD + 2 * PR_LOAD_EXTRA)
        return;
    if ((halves[0] | halves[1] << 16) == PR_LOAD_ENTER && halves[3] == PR_LOAD_KIND_ENTER)
        pr_board_enter_boot();
}

bool pr_platform_console_read(struct pr_platform *platform, uint8_t *byte)
{
    if (platform->qemu)
        return pr_ni_records_console_read(platform->qemu, byte);
    if (!pr_uart_has_byte())
        return false;
    *byte = pr_uart_get();
    return true;
}

bool pr_platform_console_write(struct pr_platform *platform, uint8_t byte)
{
    if (platform->qemu)
        pr_ni_records_await_room(platform->qemu);
    if (!pr_uart_has_room())
        return false;
    pr_uart_put(byte);
    return true;
}
