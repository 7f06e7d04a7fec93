# SPDX-License-Identifier: ISC
# rule: U4
# file: hw/cutthrough/access.v
# caught by: access_tb
# caught by: mesh_scenarios_tb +scenario=grant_ring
# A grant that the head cannot use does not lapse: four unicasts in a ring wait for ever.
s/(wire lapses = ).*/\1 1'b0;/
