# SPDX-License-Identifier: ISC
# rule: P4
# file: hw/cutthrough/fifo_buffer.v
# caught by: fifo_buffer_tb
# The fifo_buffer stores null_target.
s/(wire +shown +=) .*/\1 |tag;/
