# rule: M8
# file: hw/cutthrough/connection.v
# caught by: router_multicast_tb
# local_end_of_packet is never made: the operator sends the packet again.
s/(assign local_ends +=) .*/\1 1'b0;/
