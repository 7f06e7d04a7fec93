# SPDX-License-Identifier: ISC
# rule: U3
# file: hw/cutthrough/router.v
# caught by: router_unicast_tb
# A period is 8 clocks whatever the threshold.
s/(wire +tick +=) .*/\1 \&clocks[2:0];/
