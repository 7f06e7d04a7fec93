# rule: R4
# file: hw/cutthrough/heading.v
# caught by: router_relief_tb
# A list with nothing but outputs that are down waits for one.
s/\|up \? up : listed/up/
