# SPDX-License-Identifier: ISC
# rule: R4
# file: hw/cutthrough/direction.v
# caught by: direction_tb
# A list with nothing but outputs that are down waits for one.
s/\|up \? up : listed/up/
