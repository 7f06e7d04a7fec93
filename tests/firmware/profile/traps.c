/* mtvec, mepc, mcause, mstatus.MIE, mret.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profile.h"

#include "drivers/clint.h"

volatile struct trap trap;

/* Keeps all registers; the C function returns where to go on. */
__attribute__((naked, aligned(4))) static void trap_entry(void)
{
    __asm__ volatile(
        "addi sp, sp, -64\n\t"
        "sw ra, 0(sp)\n\tsw t0, 4(sp)\n\tsw t1, 8(sp)\n\tsw t2, 12(sp)\n\tsw t3, 16(sp)\n\tsw t4, 20(sp)\n\t"
        "sw t5, 24(sp)\n\tsw t6, 28(sp)\n\tsw a0, 32(sp)\n\tsw a1, 36(sp)\n\tsw a2, 40(sp)\n\tsw a3, 44(sp)\n\t"
        "sw a4, 48(sp)\n\tsw a5, 52(sp)\n\tsw a6, 56(sp)\n\tsw a7, 60(sp)\n\t"
        "csrr a0, mcause\n\tcsrr a1, mepc\n\tcsrr a2, mstatus\n\t"
        "call handle_trap\n\t"
        "csrw mepc, a0\n\t"
        "lw ra, 0(sp)\n\tlw t0, 4(sp)\n\tlw t1, 8(sp)\n\tlw t2, 12(sp)\n\tlw t3, 16(sp)\n\tlw t4, 20(sp)\n\t"
        "lw t5, 24(sp)\n\tlw t6, 28(sp)\n\tlw a0, 32(sp)\n\tlw a1, 36(sp)\n\tlw a2, 40(sp)\n\tlw a3, 44(sp)\n\t"
        "lw a4, 48(sp)\n\tlw a5, 52(sp)\n\tlw a6, 56(sp)\n\tlw a7, 60(sp)\n\t"
        "addi sp, sp, 64\n\t"
        "mret");
}

__attribute__((used)) static uint32_t handle_trap(uint32_t cause, uint32_t pc, uint32_t status)
{
    trap.count++;
    trap.cause = cause;
    trap.pc = pc;
    trap.status = status;
    if (cause == CAUSE_TIMER) {
        trap.timers++;
        trap.late = (uint32_t)pr_clint_time() - pr_mmio_read(PR_CLINT_BASE + PR_CLINT_MTIMECMP_LOW);
        timer_off();
        if (trap.again != 0)
            timer_in(trap.again);
        return pc;
    }
    if (cause >> 31) { /* software: nothing else can be */
        pr_mmio_write(PR_CLINT_BASE + PR_CLINT_MSIP, 0);
        return pc;
    }
    return trap.resume != 0 ? trap.resume : pc + 4;
}

void trap_start(void)
{
    timer_off();
    CSR_WRITE(mie, 0);
    CSR_WRITE(mtvec, trap_entry);
}

static uint32_t call_environment(void)
{
    uint32_t here;
    __asm__ volatile("auipc %0, 0\n\tecall" : "=r"(here) : : "memory");
    return here + 4;
}

/* All registers but sp, gp and tp hold something over an ecall. Returns the sum that is missing. */
static uint32_t lost_registers(void)
{
    uint32_t sum;
    __asm__ volatile(
        "li ra, 1\n\tli t0, 2\n\tli t1, 4\n\tli t2, 8\n\tli s1, 16\n\tli a1, 32\n\tli a2, 64\n\tli a3, 128\n\t"
        "li a4, 256\n\tli a5, 512\n\tli a6, 1024\n\tli a7, 2048\n\tli s2, 4096\n\tli s3, 8192\n\tli t3, 16384\n\t"
        "li t4, 32768\n\tli t5, 65536\n\tli t6, 131072\n\tli a0, 262144\n\t"
        "ecall\n\t"
        "add a0, a0, ra\n\tadd a0, a0, t0\n\tadd a0, a0, t1\n\tadd a0, a0, t2\n\tadd a0, a0, s1\n\tadd a0, a0, a1\n\t"
        "add a0, a0, a2\n\tadd a0, a0, a3\n\tadd a0, a0, a4\n\tadd a0, a0, a5\n\tadd a0, a0, a6\n\tadd a0, a0, a7\n\t"
        "add a0, a0, s2\n\tadd a0, a0, s3\n\tadd a0, a0, t3\n\tadd a0, a0, t4\n\tadd a0, a0, t5\n\tadd a0, a0, t6\n\t"
        "mv %0, a0"
        : "=r"(sum)
        :
        : "memory", "ra", "t0", "t1", "t2", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3", "t3",
          "t4", "t5", "t6");
    return 0x7ffff - sum;
}

static void check_mepc(void)
{
    uint32_t first, second;
    CSR_WRITE(mepc, 0x80001234);
    expect("mepc is what was written", CSR_READ(mepc), 0x80001234);
    __asm__ volatile("csrrw %0, mepc, %1" : "=r"(first) : "r"(0x7ffffffc));
    second = CSR_READ(mepc);
    expect("csrrw gives the value before", first, 0x80001234);
    expect("csrrw writes", second, 0x7ffffffc);
}

static void check_mstatus(void)
{
    uint32_t before, then;
    __asm__ volatile("csrci mstatus, 8");
    __asm__ volatile("csrrsi %0, mstatus, 8" : "=r"(before));
    __asm__ volatile("csrrci %0, mstatus, 8" : "=r"(then));
    expect("csrrsi gives mstatus.MIE before it sets", before & STATUS_MIE, 0);
    expect("csrrci gives mstatus.MIE before it clears", then & STATUS_MIE, STATUS_MIE);
    expect("mstatus.MIE is clear then", CSR_READ(mstatus) & STATUS_MIE, 0);
}

void check_traps(void)
{
    uint32_t at = call_environment();
    expect("ecall traps once", trap.count, 1);
    expect("mcause of ecall", trap.cause, CAUSE_ECALL);
    expect("mepc is the address of the ecall", trap.pc - at, 0);
    expect("registers are kept", lost_registers(), 0);
    check_mepc();
    check_mstatus();
    call_environment();
    expect("mret leaves MIE clear that was clear", CSR_READ(mstatus) & STATUS_MIE, 0);
    __asm__ volatile("csrsi mstatus, 8");
    call_environment();
    expect("a trap clears MIE", trap.status & STATUS_MIE, 0);
    expect("mret sets MIE that was set", CSR_READ(mstatus) & STATUS_MIE, STATUS_MIE);
    __asm__ volatile("csrci mstatus, 8");
}
