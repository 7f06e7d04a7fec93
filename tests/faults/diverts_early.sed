# rule: U3
# file: hw/cutthrough/connection.v
# caught by: router_unicast_tb
# Diverts when the tries reach the threshold, not when they exceed it.
s/tries > divert_threshold/tries >= divert_threshold/
