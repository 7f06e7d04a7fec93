# SPDX-License-Identifier: ISC
# rule: M6
# file: hw/cutthrough/split.v
# caught by: router_split_tb
# A gap from upstream counts as waiting.
s/(wire +stands += )held \&\& /\1/
