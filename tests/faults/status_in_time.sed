# SPDX-License-Identifier: ISC
# rule: F3a
# file: hw/cutthrough/net_input.v
# caught by: net_input_tb
# The status is combinational, a clock early.
s/assign link_wait = full;/assign link_wait = word_present \&\& !taken;/
