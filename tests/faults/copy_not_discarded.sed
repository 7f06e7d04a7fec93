# SPDX-License-Identifier: ISC
# rule: M8
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# The local copy of an all-remote multicast is not discarded.
s/ \&\& !\(commits \&\& !some_local\)//
