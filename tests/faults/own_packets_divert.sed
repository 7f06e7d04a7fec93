# rule: U3
# file: hw/cutthrough/connection.v
# caught by: router_unicast_tb
# Packets from this site divert too.
s/\&\& !FROM_LOCAL //
