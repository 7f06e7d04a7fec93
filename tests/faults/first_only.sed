# rule: U1
# file: hw/cutthrough/connection.v
# caught by: router_unicast_tb
# Only the first entry of a list is tried, not the first that is available.
s/\.bits\(candidates \& available\), \.highest\(prefer_highest\), \.first\(remote_choice\)/.bits(candidates), .highest(prefer_highest), .first(remote_list)/
s/(wire \[PORTS-1:0\]) remote_choice, reused_choice;/\1 remote_list, reused_choice;\n    wire [PORTS-1:0] remote_choice = remote_list \& available;/
