# SPDX-License-Identifier: ISC
# rule: U1
# file: hw/cutthrough/direction.v
# caught by: direction_tb
# A hypercube leaves out its highest dimension.
s/cube \? target \^ site_address/cube ? (target ^ site_address) \& {LINKS-1{1'b1}}/
