# rule: U4
# file: hw/cutthrough/connection.v
# caught by: router_unicast_tb
# A connection is released when its terminator is shown, not when it is latched.
s/(wire +ends +=) .*/\1 connected \&\& present;/
