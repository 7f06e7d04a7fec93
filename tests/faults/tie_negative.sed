# SPDX-License-Identifier: ISC
# rule: U1
# file: hw/cutthrough/direction.v
# caught by: direction_tb
# A torus target half way round goes the negative way.
s/<= \{1'b0, around\}/< {1'b0, around}/
