# SPDX-License-Identifier: ISC
# rule: U4
# file: hw/cutthrough/router.v
# caught by: router_unicast_tb
# A terminator that waits ends its connection.
s/\(terminator \&\& \(whole_word_moves\[o\] \|\| branch\)\)/(terminator \&\& (owned[o] \&\& !copy[o] || branch))/
