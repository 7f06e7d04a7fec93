# rule: U2
# file: hw/cutthrough/connection.v
# caught by: router_unicast_tb
# A head that finds no output is dropped instead of tried again.
s/(wire +drops +=) (.*);/\1 (\2) || (head \&\& unicast \&\& request == {PORTS{1'b0}});/
