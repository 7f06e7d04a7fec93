# SPDX-License-Identifier: ISC
# rule: R2
# file: hw/cutthrough/heading.v
# caught by: router_relief_tb
# In relief a multicast splits all the same.
s/(wire +held_back +=) .*/\1 1'b0;/
