# SPDX-License-Identifier: ISC
# rule: P2
# file: hw/common/net_output.v
# caught by: net_output_tb
# Bits beside null_transmission count as a word.
s/(wire holds = \|link)\[WORD_WIDTH \+: 3\]/\1/
