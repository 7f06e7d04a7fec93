# SPDX-License-Identifier: ISC
# rule: M3
# file: hw/cutthrough/heading.v
# caught by: mesh_scenarios_tb +scenario=branches_meet
# Multicasts use the adaptive lists of unicasts, and take one output here and another there: two branches of a packet meet.
s/unicast \? unicast_lists : multicast_lists/unicast_lists \& (unicast ? 8'hff : {4{1'b1, !(word[0] || site_address[COORD_WIDTH])}})/
