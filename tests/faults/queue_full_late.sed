# SPDX-License-Identifier: ISC
# rule: F2
# file: hw/common/net_input.v
# caught by: net_input_tb
# The queue of a net_input shows wait a clock late.
s/(full +<=) link_wait_next;/\1 write_index == (read_index ^ {1'b1, {INDEX_BITS{1'b0}}});/
