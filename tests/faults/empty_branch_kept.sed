# SPDX-License-Identifier: ISC
# rule: M7
# file: hw/cutthrough/router.v
# caught by: router_abort_tb
# A branch that carried nothing is not released by an abort.
s/\(copy\[o\] \&\& aborts\)/(copy[o] \&\& aborts \&\& !unused_branches[o])/
