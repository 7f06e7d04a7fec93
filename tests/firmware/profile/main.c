/* See profile.h. Starts by itself: pr_platform_start would write mtvec.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profile.h"

#include "drivers/finisher.h"
#include "drivers/uart.h"

static unsigned failed;

static void put(char byte)
{
    while (!pr_uart_has_room())
        ;
    pr_uart_put((uint8_t)byte);
}

void say(const char *text)
{
    while (*text != 0)
        put(*text++);
}

static void say_hex(uint32_t value)
{
    for (int shift = 28; shift >= 0; shift -= 4)
        put("0123456789abcdef"[value >> shift & 0xf]);
}

void show(const char *name, uint32_t value)
{
    say(name);
    say(": ");
    say_hex(value);
    say("\n");
}

void expect(const char *name, uint32_t found, uint32_t expected)
{
    say(name);
    say(": ");
    if (found == expected) {
        say("ok\n");
        return;
    }
    failed++;
    say_hex(found);
    say(", expected ");
    say_hex(expected);
    say("\n");
}

int main(void)
{
    trap_start();
    check_instructions();
    check_traps();
    check_timer();
    say(BEYOND "\n");
    show_beyond();
    say("end\n");
    while (!pr_uart_has_room())
        ;
    pr_finisher_end(failed);
}
