/* SPDX-License-Identifier: ISC */
# First instruction, and the words that `postroad flash` fills in (hw/protocol/packet.ini, "lock"). There are no variables. A trap
# resets the core; no mark is set then, and the boot program waits for another load.
    .section .text.start, "ax"
    .globl _start
    .option norelax
_start:
    j begin
    .globl verifier_lock
verifier_lock:
    .fill 9, 4, 0
begin:
    la sp, __stack
    la t0, trap
    csrw mtvec, t0
    j verify

    .balign 4
trap:
    li a0, 0x10201010 # BOARD_CONTROL: RESTART
    li a1, 4
    sw a1, 0(a0)
    j trap
