# SPDX-License-Identifier: ISC
# rule: M9
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# A word crosses in the clock in which local is released.
s/ \&\& !abort_pending \&\& !singles \&\& \(copy/ \&\& !abort_pending \&\& (copy/
