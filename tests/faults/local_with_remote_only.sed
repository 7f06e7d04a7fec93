# rule: M1
# file: hw/cutthrough/connection.v
# caught by: mesh_scenarios_tb +scenario=multicast_ring
# Local is taken, but gets the head only together with the remote branch: its fifo_buffer never counts.
s/head \? grant$/head ? (head_moves ? grant : {PORTS{1'b0}})/
s/if \(splits \&\& !head_moves\) local_has_word <= 1'b1;/if (1'b0) local_has_word <= 1'b1;/
