# SPDX-License-Identifier: ISC
# rule: M5
# file: hw/cutthrough/split.v
# caught by: router_split_tb
# A word crosses in the clock of the abort.
s/(assign branches_ready = active) \&\& !aborts/\1/
