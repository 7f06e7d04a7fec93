# SPDX-License-Identifier: ISC
# rule: O4
# file: tests/rtl/mesh_model.v
# caught by: mesh_scenarios_tb +scenario=foreign_packets
# Operators say wait until a foreign packet has been resent.
s/(reg +hold_until_resent =) 1'b0/\1 1'b1/
