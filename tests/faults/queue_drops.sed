# SPDX-License-Identifier: ISC
# rule: B2
# file: hw/common/fifo_buffer.v
# caught by: fifo_buffer_tb
# A word is taken when the queue is full.
s/(wire +accept = .*) \&\& !full;/\1;/
