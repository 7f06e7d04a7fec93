# SPDX-License-Identifier: ISC
# rule: M7
# file: hw/cutthrough/router.v
# caught by: router_split_tb
# An aborted branch stays owned.
s/ \|\| \(copy\[o\] \&\& aborts\)//
