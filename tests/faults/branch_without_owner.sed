# SPDX-License-Identifier: ISC
# rule: X1
# file: hw/cutthrough/router.v
# caught by: router_release_tb
# A branch is granted in the clock in which its packet's local copy is released: nothing ends it.
s/\.aborting\(abort_pending \|\| single\)/.aborting(abort_pending)/
