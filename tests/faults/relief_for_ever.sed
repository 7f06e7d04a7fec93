# SPDX-License-Identifier: ISC
# rule: R3
# file: hw/cutthrough/heading.v
# caught by: mesh_scenarios_tb +scenario=relief_ring
# Relief does not lapse: sites in relief wait for each other.
s/(wire +diverts +=)/\1 !relieved \&\&/
s/(wire +held_back +=) relieved \&\& !overdue/\1 relieved/
