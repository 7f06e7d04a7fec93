# rule: U1
# file: hw/cutthrough/router.v
# caught by: router_unicast_tb
# An output that another connection owns counts as available.
s/\.available\(ready \& ~owned\)/.available(ready)/
