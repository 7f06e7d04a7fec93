# SPDX-License-Identifier: ISC
# rule: R1
# file: hw/cutthrough/router.v
# caught by: router_relief_tb
# Unicasts divert in relief as soon as without.
s/relieved \? relief_limit : 16'd0/16'd0/
