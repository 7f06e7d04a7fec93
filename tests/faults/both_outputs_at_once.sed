# rule: M1
# file: hw/cutthrough/connection.v
# caught by: mesh_scenarios_tb +scenario=multicast_ring
# A multicast head waits until local and remote are available in one clock.
s/(wire want_remote = opens \&\& !is_local);/\1 \&\& (!head || !multicast || available[0]);/
s/(wire may_split +=) head/\1 remote_choice != {PORTS{1'b0}} \&\& head/
