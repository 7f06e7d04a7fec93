# SPDX-License-Identifier: ISC
# rule: X1
# file: hw/cutthrough/router.v
# caught by: router_release_tb
# A terminator releases only the branch of the last target.
s/\(terminator \&\& \(whole_word_moves\[o\] \|\| branch\)\)/(terminator \&\& (whole_word_moves[o] || branch \&\& entry[o]))/
