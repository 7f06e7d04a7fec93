# SPDX-License-Identifier: ISC
# rule: M8
# file: hw/cutthrough/router.v
# caught by: router_split_tb
# Local gets end_of_packet though all targets left on branches.
s/(wire ends_whole = whole_word_moves\[0\] \|\|) .*;/\1 branch;/
