# SPDX-License-Identifier: ISC
# rule: U3
# file: hw/cutthrough/heading.v
# caught by: mesh_scenarios_tb +scenario=unicast_ring
# No packet ever diverts: a ring of unicasts hangs.
s/(wire +diverts +=) .*/\1 1'b0;/
