# SPDX-License-Identifier: ISC
# rule: U3
# file: hw/cutthrough/heading.v
# caught by: router_unicast_tb
# A head that waits does not age.
s/age <= age == .*/age <= 2'd0;/
