/* What the profile leaves out, because here they differ: nothing may rely on what this prints.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profile.h"

#include <stddef.h>

#include "drivers/clint.h"
#include "drivers/node_id.h"

/* Runs instructions that may trap or do anything: from t1, the address of `words`, to a result in t0. Goes on behind
 * them, wherever a core says that it trapped; `result` is what was in it then. */
#define TRY(instructions)                                                                                          \
    do {                                                                                                           \
        trap.cause = NO_TRAP;                                                                                      \
        result = 0;                                                                                                \
        __asm__ volatile("la t0, 1f\n\tla t1, trap\n\tsw t0, %0(t1)\n\tla t1, words\n\tli t0, 0\n\t" instructions  \
                         "\n\tla t1, result\n\tsw t0, 0(t1)\n1:"                                                   \
                         :                                                                                         \
                         : "i"(offsetof(struct trap, resume))                                                      \
                         : "memory", "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0", "a1", "a2", "a3", "a4", \
                           "a5", "a6", "a7", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11");  \
        trap.resume = 0;                                                                                           \
    } while (0)

#define NO_TRAP 0xffffffffu

/* mcause, ffffffff without a trap. */
#define SHOW_TRAP(name, instructions) \
    do {                              \
        TRY(instructions);            \
        show(name, trap.cause);       \
    } while (0)

#define SHOW_CSR(name)               \
    do {                             \
        TRY("csrr t0, " #name);      \
        show("csrr " #name, result); \
    } while (0)

enum { SHORT = 20000 };

__attribute__((used)) volatile uint32_t words[4], result;

static void fill(void)
{
    words[0] = 0x44332211;
    words[1] = 0x88776655;
}

static void show_misaligned(void)
{
    fill();
    SHOW_TRAP("lw from 1 mod 4", "lw t0, 1(t1)");
    show("lw from 1 mod 4 loads", result);
    SHOW_CSR(mtval);
    SHOW_TRAP("lh from 1 mod 4", "lh t0, 1(t1)");
    show("lh from 1 mod 4 loads", result);
    SHOW_TRAP("sw to 2 mod 4", "sw x0, 2(t1)");
    show("sw to 2 mod 4 leaves", words[0]);
    /* Behind the jump two compressed nops. */
    SHOW_TRAP("jump to 2 mod 4", "la t0, 2f + 2\n\tjr t0\n\t.balign 4\n2: .word 0x00010001");
}

static void show_exceptions(void)
{
    SHOW_TRAP("ebreak", ".option push\n\t.option norvc\n\tebreak\n\t.option pop");
    SHOW_TRAP("illegal instruction", ".word 0");
    SHOW_TRAP("unknown CSR", "csrr t0, 0x7c0");
    SHOW_TRAP("mul", "li t2, 6\n\tli t3, 7\n\t.insn r 0x33, 0, 1, t0, t2, t3");
    show("6 times 7", result);
    SHOW_TRAP("load from nowhere", "li t1, 0x40000000\n\tlw t0, 0(t1)");
    SHOW_TRAP("store to nowhere", "li t1, 0x40000000\n\tsw t0, 0(t1)");
}

static void show_registers(void)
{
    TRY("li t2, 0x12345678\n\tcsrw mscratch, t2\n\tcsrr t0, mscratch");
    show("mscratch after 12345678", result);
    TRY("csrr t0, mtvec\n\tsnez t0, t0");
    show("mtvec can be read", result);
    SHOW_CSR(mstatus);
    SHOW_CSR(misa);
    SHOW_CSR(mstatus);
    __asm__ volatile("csrci mstatus, 8");
    TRY("li t2, 128\n\tcsrw mie, t2\n\tcsrr t0, mie\n\tcsrw mie, x0");
    show("mie after 00000080", result);
    timer_in(0);
    wait_ticks(SHORT);
    SHOW_CSR(mip);
    timer_off();
    TRY("csrr t2, mcycle\n\tcsrr t0, mcycle\n\tsub t0, t0, t2\n\tsnez t0, t0");
    show("mcycle counts", result);
}

static void show_interrupts(void)
{
    uint64_t then;
    trap.cause = NO_TRAP;
    CSR_WRITE(mie, 1 << 3);
    __asm__ volatile("csrsi mstatus, 8");
    pr_mmio_write(PR_CLINT_BASE + PR_CLINT_MSIP, 1);
    wait_ticks(SHORT);
    pr_mmio_write(PR_CLINT_BASE + PR_CLINT_MSIP, 0);
    __asm__ volatile("csrci mstatus, 8");
    show("software interrupt", trap.cause);
    CSR_WRITE(mie, MIE_MTIE);
    timer_in(SHORT);
    then = pr_clint_time();
    TRY("wfi");
    then = pr_clint_time() - then;
    show("wfi", trap.cause);
    show("wfi waits", then >= SHORT / 2);
    timer_off();
    CSR_WRITE(mie, 0);
}

void show_beyond(void)
{
    show("signature", pr_mmio_read(PR_ID_BASE + PR_ID_SIGNATURE));
    show_misaligned();
    show_exceptions();
    show_registers();
    show_interrupts();
}
