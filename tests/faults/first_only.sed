# SPDX-License-Identifier: ISC
# rule: U1
# file: hw/cutthrough/direction.v
# caught by: direction_tb
# Only the first entry of a list is tried, not the first that is available.
s/(free +=) .*/\1 {PORTS{1'b0}};/
