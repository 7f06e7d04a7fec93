# SPDX-License-Identifier: ISC
# rule: M6
# file: hw/cutthrough/split.v
# caught by: router_split_tb
# Waiting for local counts as waiting for a branch.
s/(wire +stands += held \&\& ).*/\1 |(copy \& ~ready);/
