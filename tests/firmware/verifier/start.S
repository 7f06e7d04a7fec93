/* SPDX-License-Identifier: ISC */
# First instruction of the program that runs the verifier's check under QEMU.
    .section .text.start, "ax"
    .globl _start
_start:
    la sp, __stack
    j main
