# SPDX-License-Identifier: ISC
# rule: F2
# file: hw/cutthrough/net_input.v
# caught by: net_input_tb
# A word that is not taken is not held.
s/full <= word_present \&\& !taken;/full <= 1'b0;/
