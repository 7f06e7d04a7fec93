# rule: U1
# file: hw/cutthrough/heading.v
# caught by: router_unicast_tb
# Only the first entry of a list is tried, not the first that is available.
s/(wire \[PORTS-1:0\] free +=) .*/\1 {PORTS{1'b0}};/
