# SPDX-License-Identifier: ISC
# rule: B1
# file: hw/cutthrough/fifo_buffer.v
# caught by: fifo_buffer_tb
# A word that arrives in free at a full queue leads to open.
s/if \(shown \&\& full\) state_next = STATE_WAIT;/if (shown \&\& full) state_next = STATE_OPEN;/
