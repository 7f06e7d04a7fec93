# SPDX-License-Identifier: ISC
# rule: U5
# file: hw/cutthrough/heading.v
# caught by: mesh_scenarios_tb +scenario=strict_ring
# Strict packets do not divert on a torus either: a ring of them hangs.
s/(wire +diverts +=)/\1 !strict \&\&/
