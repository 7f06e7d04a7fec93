# SPDX-License-Identifier: ISC
# rule: U5
# file: hw/cutthrough/router.v
# caught by: router_unicast_tb
# A strict head ages every 64 periods, not every 128.
s/(\.slow_tick\(tick \&\& \&ticks)\)/\1[5:0])/
