# SPDX-License-Identifier: ISC
# rule: M11
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# caught by: router_split_tb
# A target of a split packet requests its branch until it crosses.
s/asks_link \&\& !master/asks_link/
