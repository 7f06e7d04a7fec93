/* SPDX-License-Identifier: ISC */
# Trap entry. Nothing a node does in good health traps, so this never returns: it takes a fresh stack, for the old one
# may be the reason, and uses only what all cores have (mcause and mepc; no mscratch, no mtval).
    .section .text.pr_platform_trap_entry, "ax"
    .globl pr_platform_trap_entry
    .balign 4
pr_platform_trap_entry:
    la sp, __stack
    csrr a0, mcause
    csrr a1, mepc
    mv a2, ra
    j pr_platform_trap
