# rule: U3
# file: hw/cutthrough/connection.v
# caught by: mesh_scenarios_tb +scenario=unicast_ring
# No packet ever diverts: a ring of unicasts hangs.
s/(wire +may_divert =) head/\1 1'b0 \&\& head/
