# SPDX-License-Identifier: ISC
# rule: U4
# file: hw/cutthrough/router.v
# caught by: router_unicast_tb
# A connection is released when its terminator is shown, not when it enters the net_output.
s/\(moves\[o\] \|\| copy\[o\] \&\& clear\)/(owned[o] \&\& !copy[o] || copy[o] \&\& clear)/
