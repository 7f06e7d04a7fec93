# SPDX-License-Identifier: ISC
# rule: B1
# file: hw/common/fifo_buffer.v
# caught by: fifo_buffer_tb
# No wait while a word leaves.
s/assign wait_out = full;/assign wait_out = full \&\& wait_in;/
