/* SPDX-License-Identifier: ISC */
# Prints a line on the console of a board that starts in RAM, and ends it with a sum over the line that is kept in RAM.
    .equ UART, 0x10000000
    .option norelax
    .globl _start
_start:
    la s0, line
    li s1, UART
    la s2, sum
    sw zero, 0(s2)
1:  lbu a0, 0(s0)
    beqz a0, 2f
    lw t0, 0(s2)
    add t0, t0, a0
    sw t0, 0(s2)
    jal put
    addi s0, s0, 1
    j 1b
2:  lw a0, 0(s2)
    andi a0, a0, 15
    addi a0, a0, 65
    jal put
    li a0, 10
    jal put
3:  j 3b

put:
    lbu t1, 5(s1)
    andi t1, t1, 0x20
    beqz t1, put
    sb a0, 0(s1)
    ret

    .balign 4
sum:
    .word 0x12345678
line:
    .asciz "printed by a bitstream: "
