# SPDX-License-Identifier: ISC
# rule: M9
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# The local copy is released though this site is a target.
s/(release_single) \&\& !some_local/\1/
