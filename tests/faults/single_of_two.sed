# SPDX-License-Identifier: ISC
# rule: M9
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# The local copy is released though there is a second branch.
s/ \&\& \(branches \& \(branches - 1'b1\)\) == \{PORTS\{1'b0\}\}//
