# SPDX-License-Identifier: ISC
# rule: M7
# file: hw/common/net_output.v
# caught by: net_output_tb
# abort_packet overwrites what the latch holds.
s/(tag_next +=) link_wait \?/\1 link_wait \&\& !owed ?/
