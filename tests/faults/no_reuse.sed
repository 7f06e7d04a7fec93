# SPDX-License-Identifier: ISC
# rule: M3
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# A further target never reuses an own branch.
s/(wire \[PORTS-1:0\] hits +=) /\1 unused_branches \& /
