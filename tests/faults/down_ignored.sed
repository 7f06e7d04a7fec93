# SPDX-License-Identifier: ISC
# rule: R4
# file: hw/cutthrough/direction.v
# caught by: direction_tb
# An output that is down is chosen like any other.
s/listed \& ~down/listed/
