# rule: U5
# file: hw/cutthrough/connection.v
# caught by: mesh_scenarios_tb +scenario=strict_ring
# Strict packets do not divert on a torus either: a ring of them hangs.
s/(wire stays_out += strict) .*/\1;/
