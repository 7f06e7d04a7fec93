# rule: M5
# file: hw/cutthrough/connection.v
# caught by: router_abort_tb
# An abort_request aborts in the clock in which the terminator moves.
s/(wire +aborts +=) .*/\1 split \&\& abort_request;/
