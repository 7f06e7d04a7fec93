# SPDX-License-Identifier: ISC
# rule: M7
# file: hw/cutthrough/router.v
# caught by: router_abort_tb
# The word shown in the clock of an abort is lost.
s/\(master\[i\] \&\& advance\)/(master[i] \&\& (advance || aborts))/
