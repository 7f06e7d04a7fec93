# rule: U4
# file: hw/cutthrough/access.v
# caught by: router_unicast_tb
# An output is available while the last terminator waits in its latch.
s/(assign takes += !owned \&\& wanted) \&\& ready/\1/
