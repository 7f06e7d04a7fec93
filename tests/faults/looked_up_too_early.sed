# rule: U1
# file: hw/cutthrough/heading.v
# caught by: router_unicast_tb
# A head asks in the clock in which it is looked up, by what the last word was looked up to.
s/(assign waits = )held \&\&/\1site_word \&\&/
