# SPDX-License-Identifier: ISC
# rule: F3d
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# A word of a split packet that crosses in the clock in which it is shown is kept, and crosses again.
s/\(master\[i\] \&\& advance\)/(master[i] \&\& advance \&\& held[i])/
