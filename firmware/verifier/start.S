/* SPDX-License-Identifier: ISC */
# char verifier(image, words), for the boot program: PR_LOAD_DONE, or why a locked board does not start the image. The first
# instruction, the words that `postroad flash` fills in (hw/protocol/packet.ini, "lock"), and a stack of its own. There are no
# variables. A trap is the boot program's.
    .section .text.start, "ax"
    .globl _start
    .option norelax
_start:
    j begin
verifier_lock:
    .fill 9, 4, 0
begin:
    mv t0, sp
    la sp, __stack - 16
    sw t0, 0(sp)
    sw ra, 4(sp)
    mv a2, a1
    mv a1, a0
    la a3, verifier_lock
    call pr_signature_check
    lw ra, 4(sp)
    lw sp, 0(sp)
    ret
