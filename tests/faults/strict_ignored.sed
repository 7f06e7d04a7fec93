# SPDX-License-Identifier: ISC
# rule: U5
# file: hw/cutthrough/heading.v
# caught by: router_unicast_tb
# The strict bit is not looked at.
s/(wire +strict +=) .*/\1 1'b0;/
