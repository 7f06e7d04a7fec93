# rule: M8
# file: hw/cutthrough/connection.v
# caught by: router_multicast_tb
# The local copy of an all-remote multicast is not discarded.
s/\(split \&\& terminator \&\& !some_local\) \|\| //
