# SPDX-License-Identifier: ISC
# rule: M7
# file: hw/cutthrough/router.v
# caught by: router_split_tb
# No branch owes an abort_packet.
s/(assign abort = ).*/\1 {PORTS{1'b0}};/
