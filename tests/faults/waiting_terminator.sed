# rule: U4
# file: hw/cutthrough/router.v
# caught by: router_unicast_tb
# An output is available while the last terminator waits in its latch.
s/\.available\(ready \& ~owned\)/.available(~owned)/
