# rule: U3
# file: hw/cutthrough/connection.v
# caught by: router_unicast_tb
# Diverts when the tries reach the threshold, not when they exceed it.
s/tries <= tries_limit/tries < tries_limit/
