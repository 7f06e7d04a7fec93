# rule: M2
# file: hw/cutthrough/heading.v
# caught by: router_multicast_tb
# A multicast head waits for local instead of passing through.
s/(\|other \? other :) first\)/\1 to_one ? first : {PORTS{1'b0}})/
