/* An image that wants code started that nobody has signed. It prints A, forges all RAM that the boot program works in,
 * and goes one of these ways, whose number the bench writes into its second word (lock_scenarios.h). The code that must
 * not run prints X.
 *
 * SPDX-License-Identifier: ISC
 */
#include "drivers/board.h"
#include "drivers/uart.h"

enum {
    /* Where that code is. As bytes of the boot program's memory each one is a true flag, and the second one of a word a
     * PR_LOAD_CHECKING. */
    FORGED = (int)0x80007674,
    CODE_WORDS = 4,
    LETTER_CLOCKS = 4000, /* until a letter has left the UART */
    START = PR_BOARD_CONTROL_RESTART | PR_BOARD_CONTROL_START,
    LOAD_START = START << 20 | 0x13, /* li REGISTER, START */
    REGISTER = 0xf80,
    STORE_CONTROL = 0x2023 | PR_BOARD_CONTROL << 7, /* sw ANY, CONTROL(ANY) */
    ANY = 0x1ff8000,
    STORE_SOON = 2 /* instructions behind the load at most */
};

__attribute__((naked, section(".text.start"), used)) void _start(void)
{
    __asm__ volatile("j 1f\n"
                     "way: .word 0\n"
                     "1: la sp, __stack\n\t"
                     "lw a0, way\n\t"
                     "j intrude");
}

static void control(uint32_t value)
{
    pr_mmio_write(PR_BOARD_BASE + PR_BOARD_CONTROL, value);
}

static void enter(void)
{
    control(PR_BOARD_CONTROL_RESTART);
}

static void order(void)
{
    control(START);
}

/* The second write comes before the first one's reset. */
static void order_often(void)
{
    __asm__ volatile("sw %1, 0(%0)\n\t"
                     "sw %2, 0(%0)\n\t"
                     "sw %2, 0(%0)\n\t"
                     "sw %2, 0(%0)"
                     :
                     : "r"(PR_BOARD_BASE + PR_BOARD_CONTROL), "r"(PR_BOARD_CONTROL_RESTART), "r"(START));
}

static void jump(void)
{
    ((void (*)(void))PR_ROM_BASE)();
}

static bool is_order(uint32_t place)
{
    if ((pr_mmio_read(place) & ~REGISTER) != LOAD_START)
        return false;
    for (unsigned behind = 1; behind <= STORE_SOON; behind++)
        if ((pr_mmio_read(place + 4 * behind) & ~ANY) == STORE_CONTROL)
            return true;
    return false;
}

/* To where the boot program is about to write the order. */
static void jump_inside(void)
{
    uint32_t place = PR_ROM_BASE;
    while (!is_order(place))
        place += 4;
    __asm__ volatile("mv s0, %0\n\t" /* one of these is for the address */
                     "mv s1, %0\n\t"
                     "mv s2, %0\n\t"
                     "mv s3, %0\n\t"
                     "jr %1"
                     :
                     : "r"(PR_BOARD_BASE), "r"(place)
                     : "s0", "s1", "s2", "s3");
}

static void await_watchdog(void)
{
    control(PR_BOARD_CONTROL_WATCHED);
    for (;;)
        ;
}

static void trap(void)
{
    __asm__ volatile("ecall");
}

static void unlock(void)
{
    control(PR_BOARD_CONTROL_UNLOCK);
    control(PR_BOARD_CONTROL_UNLOCK | PR_BOARD_CONTROL_RESTART);
}

/* The verifier is in RAM. */
static void call_verifier(void)
{
    ((char (*)(uint32_t, uint32_t))(PR_RAM_BASE + PR_LOAD_VERIFIER))(PR_RAM_BASE, 64);
    order();
}

static void forge(void)
{
    static const uint32_t code[CODE_WORDS] = {0x10000537, 0x00000593 | 'X' << 20, 0x00b50023, 0x0000006f};
    volatile uint32_t *to = (uint32_t *)FORGED, *end = (uint32_t *)(PR_RAM_BASE + 0x10000);
    for (unsigned k = 0; k < CODE_WORDS; k++)
        to[k] = code[k];
    for (to = end - PR_LOAD_RESERVED / 4; to != end; to++)
        *to = (uint32_t)FORGED;
}

__attribute__((used)) static void intrude(uint32_t way)
{
    pr_uart_put('A');
    for (volatile unsigned k = 0; k < LETTER_CLOCKS / 16; k++)
        ;
    forge();
    switch (way) { /* in the order of lock_scenarios.h */
    case 0:
        enter();
        break;
    case 1:
        order();
        break;
    case 2:
        order_often();
        break;
    case 3:
        jump();
        break;
    case 4:
        jump_inside();
        break;
    case 5:
        trap();
        break;
    case 6:
        await_watchdog();
        break;
    case 7:
        unlock();
        break;
    default:
        call_verifier();
        break;
    }
    for (;;)
        ;
}
