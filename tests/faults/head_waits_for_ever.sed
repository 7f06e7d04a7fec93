# SPDX-License-Identifier: ISC
# rule: M1
# file: hw/cutthrough/fifo_buffer.v
# caught by: mesh_scenarios_tb +scenario=multicast_ring
# The same on a mesh: heads that have local and wait for their remote branch never time out.
s/ \|\| pad\) state_next = STATE_OPEN/) state_next = STATE_OPEN/
