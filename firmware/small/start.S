/* SPDX-License-Identifier: ISC */
# Start of a small image: picolibc's takes 300 bytes. All data begin as 0; a site is reset with its image loaded anew, or
# with one whose text nobody has written to. A trap ends the run; a jump back to the start would not stop the
# network_interface.
    .section .init, "ax"
    .globl _start
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, __stack
    la t0, trap
    csrw mtvec, t0
    la a0, __bss_start
    la a1, __bss_end
1:  sw zero, 0(a0)
    addi a0, a0, 4
    bltu a0, a1, 1b
    j main

    .balign 4
trap:
    li a0, 0x00100000 # the finisher: PR_FINISHER_FAIL, status 1
    li a1, 0x00013333
    sw a1, 0(a0)
    j trap
