# SPDX-License-Identifier: ISC
# rule: M7
# file: hw/cutthrough/router.v
# caught by: router_split_tb
# After an abort local is still part of a split packet.
s/\.unsplits\(o == 0 \&\& aborts\)/.unsplits(1'b0)/
