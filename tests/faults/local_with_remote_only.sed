# rule: M1
# file: hw/cutthrough/router.v
# caught by: mesh_scenarios_tb +scenario=multicast_ring
# Local is taken, but gets the head only together with the remote branch: its fifo_buffer never counts.
s/(wire +gets +=.*) \|\| splits/\1/
s/local_has_word <= splits \|\|/local_has_word <=/
