# SPDX-License-Identifier: ISC
# rule: U3
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# Packets of this site divert.
s/(wire gives_up .*) \&\& PORT != 0/\1/
