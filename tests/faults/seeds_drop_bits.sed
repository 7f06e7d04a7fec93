# SPDX-License-Identifier: ISC
# rule: M6
# file: hw/cutthrough/fabric.v
# caught by: fabric_seeds_tb
# Bits of large addresses do not count: neighbours in large hypercubes have the same seed, and time out in step.
s/(assign seed = .*) \^ folded;/\1;/
