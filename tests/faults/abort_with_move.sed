# SPDX-License-Identifier: ISC
# rule: M5
# file: hw/cutthrough/router.v
# caught by: router_abort_tb
# A word moves on the branches in the clock of an abort.
s/(wire +clear +=) split \&\& !abort_pending/\1 split/
