# SPDX-License-Identifier: ISC
# rule: U3
# file: hw/cutthrough/heading.v
# caught by: mesh_scenarios_tb +scenario=unicast_ring
# A ring of unicasts waits for ever.
s/(wire gives_up +=).*/\1 1'b0;/
