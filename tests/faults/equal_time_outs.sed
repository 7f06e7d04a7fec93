# SPDX-License-Identifier: ISC
# rule: M6
# file: hw/cutthrough/fifo_buffer.v
# caught by: mesh_scenarios_tb +scenario=figure_4
# The time-out has no random part: Figure 4 repeats in step.
s/limit  <= abort_threshold \+ .*/limit  <= abort_threshold;/
