# The first word of an image, where a core starts. Behind it is the build id (postroad.ld), and then picolibc's _start.
#
# SPDX-License-Identifier: ISC
    .section .text.pr_enter, "ax", @progbits
    .globl pr_enter
pr_enter:
    j _start
