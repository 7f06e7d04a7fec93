# SPDX-License-Identifier: ISC
# rule: P4
# file: hw/common/fifo_buffer.v
# caught by: fifo_buffer_tb
# null_target enters the queue.
s/(wire +accept = \|tag) \&\& tag != `POSTROAD_TAG_NULL_TARGET/\1/
