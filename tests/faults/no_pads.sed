# rule: M4
# file: hw/cutthrough/connection.v
# caught by: router_multicast_tb
# A blocked split connection sends no null_transmission to local.
s/(assign blocked +=) .*/\1 1'b0;/
