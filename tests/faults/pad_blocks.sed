# SPDX-License-Identifier: ISC
# rule: P2
# file: hw/cutthrough/net_output.v
# caught by: net_output_tb
# A null_transmission with the bit local counts as a held word.
s/(wire holds += \|link\[WORD_WIDTH \+:) 3\]/\1 TAG_WIDTH]/
