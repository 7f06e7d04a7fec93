# rule: P6
# file: hw/cutthrough/connection.v
# caught by: router_unicast_tb
# A word without a connection is not dropped but blocks its net_input.
s/(wire +drops +=) .*/\1 1'b0;/
