# rule: R3
# file: hw/cutthrough/connection.v
# caught by: mesh_scenarios_tb +scenario=relief_ring
# Relief does not lapse: sites in relief wait for each other.
s/(wire patient +=) tries/\1 relieved || tries/
