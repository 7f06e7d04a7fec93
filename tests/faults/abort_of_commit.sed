# SPDX-License-Identifier: ISC
# rule: M5
# file: hw/cutthrough/router.v
# caught by: router_abort_tb
# An abort_request aborts the branches in the clock in which the terminator moves.
s/(assign abort = .*)\{aborts\}/\1{aborts || (abort_request \&\& tag == `POSTROAD_TAG_END_OF_PACKET)}/
