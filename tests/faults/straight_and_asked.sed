# rule: F3d
# file: hw/cutthrough/heading.v
# caught by: router_unicast_tb
# A head that asks by its list is still offered straight on, and two outputs take it.
s/\&\& !held \&\& !down/\&\& !down/
