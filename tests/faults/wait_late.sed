# SPDX-License-Identifier: ISC
# rule: B1
# file: hw/cutthrough/fifo_buffer.v
# caught by: fifo_buffer_tb
# The status is open in free though the queue is full.
s/assign status = full +\?/assign status = full \&\& state != STATE_FREE ?/
