# rule: F3d
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# A head that local got alone is given to it again with the remote branch.
s/\(clear \&\& !local_has_word/(clear/
