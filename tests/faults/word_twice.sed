# SPDX-License-Identifier: ISC
# rule: F3d
# file: hw/cutthrough/router.v
# caught by: router_split_tb
# A word of a split packet stays though it has crossed.
s/\(master\[i\] \&\& master_word_moves\)/(master[i] \&\& master_word_moves \&\& held[i])/
