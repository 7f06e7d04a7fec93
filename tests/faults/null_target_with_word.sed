# rule: P3
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# null_target keeps the lower bits of the word in whose place it stands.
s/LINK_WIDTH-1\{whole\}/LINK_WIDTH-1{whole || substituted[o]}/
