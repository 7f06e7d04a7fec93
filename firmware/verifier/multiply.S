/* SPDX-License-Identifier: ISC */
# __muldi3, the compiler's 64-bit product, for cores without a multiplier. It takes nine tenths of a signature's check, and its
# operands are nearly always 32-bit numbers with a sign: for these it needs some 180 instructions instead of the 460 of libgcc.
#
#   magnitudes   a * b, |b| the smaller one   a = ah * 2^16 + al, b the same
#   high half    ah*bh and al*bh, a bit of bh at a time, the highest first: 10 bits if |b| is below 2^26, as Ed25519's limbs are
#   low half     ah*bl and al*bl
#   sum          al*bl + (ah*bl + al*bh) * 2^16 + ah*bh * 2^32
#
# One sum in a register never exceeds 32 bits. All shifts are by 16 or less, since VexRiscv shifts a bit a clock; doubling is an
# addition.
    .section .text.__muldi3, "ax"
    .globl __muldi3

# HIGH, LOW += ah, al for the highest bit of BITS, which then leaves it; HIGH and LOW are doubled first.
    .macro step high, low, bits
    add \high, \high, \high
    add \low, \low, \low
    bgez \bits, 1f
    add \high, \high, a4
    add \low, \low, a5
1:  add \bits, \bits, \bits
    .endm

__muldi3:
    slti t0, a0, 0 # is each operand its low word with a sign?
    slti t1, a2, 0
    add t0, t0, a1
    add t1, t1, a3
    or t0, t0, t1
    bnez t0, general
    xor a7, a0, a2
    bgez a0, 1f
    neg a0, a0
1:  bgez a2, 1f
    neg a2, a2
1:  bgeu a0, a2, unsigned
    mv t0, a0
    mv a0, a2
    mv a2, t0

# a0 * a2, of 32 bits each; the product is negated if a7 is negative.
unsigned:
    slli a5, a0, 16
    srli a5, a5, 16
    srli a4, a0, 16
    slli a6, a2, 16
    li t0, 0 # ah * bh
    li t1, 0 # al * bh
    li t2, 0 # ah * bl
    li t3, 0 # al * bl
    lui t4, 0x4000
    bgeu a2, t4, 2f
    slli a2, a2, 6
    j 3f
2:  .rept 6
    step t0, t1, a2
    .endr
3:  .rept 10
    step t0, t1, a2
    .endr
    .rept 16
    step t2, t3, a6
    .endr
    add t1, t1, t2
    sltu t2, t1, t2
    slli a0, t1, 16
    add a0, a0, t3
    sltu t3, a0, t3
    srli t1, t1, 16
    slli t2, t2, 16
    add a1, t0, t1
    add a1, a1, t2
    add a1, a1, t3
    bgez a7, 1f
    neg a0, a0
    snez t0, a0
    neg a1, a1
    sub a1, a1, t0
1:  ret

# Any operands: the product of the low words, and those of one high and one low word, which have no effect below bit 32.
general:
    addi sp, sp, -32
    sw ra, 28(sp)
    sw s0, 24(sp)
    sw s1, 20(sp)
    sw a0, 0(sp)
    sw a3, 4(sp)
    mv a7, zero
    sw a2, 8(sp)
    sw a1, 12(sp)
    jal unsigned
    mv s0, a0
    mv s1, a1
    lw a0, 0(sp)
    lw a1, 4(sp)
    jal __mulsi3
    add s1, s1, a0
    lw a0, 12(sp)
    lw a1, 8(sp)
    jal __mulsi3
    add a1, s1, a0
    mv a0, s0
    lw s1, 20(sp)
    lw s0, 24(sp)
    lw ra, 28(sp)
    addi sp, sp, 32
    ret
