/* A program of 200 bytes for the boot ROM of a board: a text with a sum that passes through RAM, then what is typed
 * with its case flipped. It is what a bitstream is believed by: reset, fetch, load, store, ROM and RAM, console both
 * ways.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdint.h>

#include "protocol.h"

enum { TRANSMIT_EMPTY = 0x20, DATA_READY = 1, CASE = 0x20, WORDS = 8 };

static volatile uint8_t *const uart = (volatile uint8_t *)0x10000000;
static volatile uint32_t *const ram = (volatile uint32_t *)PR_RAM_BASE;

static void put(int character)
{
    while (!(uart[5] & TRANSMIT_EMPTY))
        ;
    uart[0] = (uint8_t)character;
}

__attribute__((noreturn, section(".init"))) void start(void)
{
    uint32_t sum = 0;
    __asm__ volatile("lui sp, 0x80001");
    for (const char *text = "hello from the bitstream "; *text; text++)
        put(*text);
    for (uint32_t i = 0; i < WORDS; i++)
        ram[i] = i * 5;
    for (uint32_t i = 0; i < WORDS; i++)
        sum += ram[i];
    for (int shift = 4; shift >= 0; shift -= 4)
        put("0123456789abcdef"[sum >> shift & 15]);
    put('\n');
    for (;;) {
        while (!(uart[5] & DATA_READY))
            ;
        put(uart[0] ^ CASE);
    }
}
