# rule: M3
# file: hw/cutthrough/connection.v
# caught by: mesh_scenarios_tb +scenario=branches_meet
# Multicasts use the adaptive lists of unicasts: two branches of a packet meet.
s/copied \? multicast_lists : unicast_lists/unicast_lists/
