# SPDX-License-Identifier: ISC
# rule: R3
# file: hw/cutthrough/router.v
# caught by: router_relief_tb
# Where packets never divert, relief is a try shorter than its limit.
s/(wire \[15:0\] period +=) \(never_diverts \? 16'd0 : divert_threshold\)/\1 divert_threshold/
