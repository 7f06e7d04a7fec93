# SPDX-License-Identifier: ISC
# rule: P6
# file: hw/cutthrough/heading.v
# caught by: router_unicast_tb
# A word without a connection blocks its input.
s/(assign stray +=) .*/\1 1'b0;/
