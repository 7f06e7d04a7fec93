# SPDX-License-Identifier: ISC
# rule: M6
# file: hw/cutthrough/fifo_buffer.v
# caught by: mesh_scenarios_tb +scenario=figure_4
# No time-out: Figure 4 is a deadlock.
s/(wire +over +=) .*/\1 1'b0;/
