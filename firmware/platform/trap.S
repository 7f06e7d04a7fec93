# Trap entry. Nothing a node does in good health traps, so this never returns: it takes a fresh stack, for the old one
# may be the reason, and uses only what all cores have (mcause and mepc; no mscratch, no mtval).
    .section .text.platform_trap_entry, "ax"
    .globl platform_trap_entry
    .balign 4
platform_trap_entry:
    la sp, __stack
    csrr a0, mcause
    csrr a1, mepc
    mv a2, ra
    j platform_trap
