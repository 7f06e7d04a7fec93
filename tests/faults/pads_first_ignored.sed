# SPDX-License-Identifier: ISC
# rule: M6
# file: hw/cutthrough/fifo_buffer.v
# caught by: fifo_buffer_tb
# Pads before the first word of a packet do not open the fifo_buffer: it counts nothing while a head waits.
s/ \|\| pad\) state_next = STATE_OPEN/) state_next = STATE_OPEN/
