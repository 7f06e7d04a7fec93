# rule: R4
# file: hw/cutthrough/heading.v
# caught by: router_relief_tb
# An output that is down is chosen like any other.
s/listed \& ~down/listed/
