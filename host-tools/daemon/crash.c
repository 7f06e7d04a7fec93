/* See crash.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "daemon/crash.h"

#include "libpostroad/symbols.h"

#include <stdio.h>
#include <string.h>

enum { PLACE_SIZE = 600, WHERE_SIZE = 1300, TEXT_SIZE = 80 };

/* The meanings of mcause. */
static const char *cause_text(uint32_t cause)
{
    /* The numbers that the RISC-V privileged architecture gives them in machine mode. */
    static const char *const exceptions[] = {
        "jump to a misaligned address",
        "instruction access fault (no memory there)",
        "illegal instruction",
        "breakpoint (ebreak)",
        "load from a misaligned address",
        "load access fault (nothing there)",
        "store to a misaligned address",
        "store access fault (nothing there)",
        "environment call (ecall)",
        "environment call (ecall)",
        NULL,
        "environment call (ecall)",
    };
    if (cause >> 31)
        return "unexpected interrupt";
    if (cause < sizeof exceptions / sizeof *exceptions && exceptions[cause])
        return exceptions[cause];
    return "trap of unknown cause";
}

void crash_note_text(struct crash *crash, const char *text, size_t length)
{
    static const char mark[] = "trap: mcause ";
    char line[TEXT_SIZE];
    unsigned cause, pc, return_address;
    const char *at = memmem(text, length, mark, sizeof mark - 1);
    if (!at)
        return;
    snprintf(line, sizeof line, "%.*s", (int)(length - (size_t)(at - text)), at);
    if (sscanf(line, "trap: mcause %x mepc %x ra %x", &cause, &pc, &return_address) == 3)
        *crash = (struct crash){true, cause, pc, return_address};
}

static void describe_place(uint32_t pc, uint32_t return_address, const char *elf, char *out, size_t size)
{
    char place[PLACE_SIZE], caller[PLACE_SIZE];
    pr_symbols_find(elf, pc, place, sizeof place);
    if (return_address == 0) { /* not known */
        snprintf(out, size, "at 0x%08x in %s", (unsigned)pc, place);
        return;
    }
    pr_symbols_find(elf, return_address - 4, caller, sizeof caller); /* the call is the instruction before */
    snprintf(out, size, "at 0x%08x in %s; ra 0x%08x in %s", (unsigned)pc, place, (unsigned)return_address, caller);
}

void crash_describe(const struct crash *crash, const char *elf, char *out, size_t size)
{
    char where[WHERE_SIZE];
    describe_place(crash->pc, crash->return_address, elf, where, sizeof where);
    snprintf(out, size, "crashed: %s (mcause %u) %s", cause_text(crash->cause), (unsigned)crash->cause, where);
}

void crash_describe_hang(double seconds, uint64_t clocks, uint32_t pc, uint32_t return_address, const char *elf,
                         char *out, size_t size)
{
    char where[WHERE_SIZE];
    describe_place(pc, return_address, elf, where, sizeof where);
    if (clocks)
        snprintf(out, size, "hangs: has worked for %llu clocks without a look at network or console, now %s",
                 (unsigned long long)clocks, where);
    else
        snprintf(out, size, "hangs: has worked for %.0f s without coming to rest, now %s", seconds, where);
}
