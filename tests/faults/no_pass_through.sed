# rule: M2
# file: hw/cutthrough/connection.v
# caught by: router_multicast_tb
# A multicast head waits for local instead of passing through.
s/(wire want_remote = opens \&\& !is_local);/\1 \&\& (!head || !multicast || available[0]);/
