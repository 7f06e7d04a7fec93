# SPDX-License-Identifier: ISC
# rule: P1
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# target_info words go to every branch instead of their entry's alone.
s/(target \? hits\[o\]) : entry\[o\]/\1 : 1'b1/
