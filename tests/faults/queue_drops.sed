# SPDX-License-Identifier: ISC
# rule: B2
# file: hw/cutthrough/fifo_buffer.v
# caught by: fifo_buffer_tb
# A full queue takes words and overwrites others.
s/(wire +accept +=) .*/\1 shown;/
