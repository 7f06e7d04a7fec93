# rule: M3
# file: hw/cutthrough/heading.v
# caught by: mesh_scenarios_tb +scenario=branches_meet
# Multicasts use the adaptive lists of unicasts: two branches of a packet meet.
s/unicast \? unicast_lists : multicast_lists/unicast_lists/
s/adaptive \&\& unicast/adaptive/
s/\(master \? first \|/(master ? (first_available ? first : |(others \& available) ? other : first) |/
