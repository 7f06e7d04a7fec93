# SPDX-License-Identifier: ISC
# rule: R3
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# A strict multicast is held back for as long as a strict unicast waits before it diverts.
s/(wire slow = )unicast \&\& /\1/
