# SPDX-License-Identifier: ISC
# rule: R1
# file: hw/cutthrough/router.v
# caught by: router_relief_tb
# Heads divert in relief as without.
s/relieved \? relief_limit\[15:1\]/1'b0 ? relief_limit[15:1]/
