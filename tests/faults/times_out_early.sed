# SPDX-License-Identifier: ISC
# rule: M6
# file: hw/cutthrough/split.v
# caught by: router_split_tb
# A time-out after half of its time.
s/(assign aborts +=).*/\1 stood[1];/
