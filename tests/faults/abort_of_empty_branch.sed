# SPDX-License-Identifier: ISC
# rule: M7
# file: hw/cutthrough/router.v
# caught by: router_abort_tb
# A branch that carried nothing gets an abort_packet.
s/branches \& ~unused_branches \& /branches \& /
