# SPDX-License-Identifier: ISC
# rule: M6
# file: hw/cutthrough/fifo_buffer.v
# caught by: fifo_buffer_tb
# Gaps that arrive from upstream count towards the time-out.
s/\&\& pad;/\&\& (pad || !(|tag));/
