# SPDX-License-Identifier: ISC
# rule: B2
# file: hw/common/fifo_buffer.v
# caught by: fifo_buffer_tb
# A word overtakes those in the memory.
s/(wire bypass  = advance) \&\& !stored/\1/
