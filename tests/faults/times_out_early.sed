# SPDX-License-Identifier: ISC
# rule: M6
# file: hw/cutthrough/split.v
# caught by: router_split_tb
# A time-out after half of its time.
s/\{stood, 1'b1\}/{stood[0], stood[0], 1'b1}/
