# rule: M3
# file: hw/cutthrough/connection.v
# caught by: router_multicast_tb
# A further target never reuses an own branch.
s/(wire \[PORTS-1:0\] reused +=) [^;]*;/\1 {PORTS{1'b0}};/
