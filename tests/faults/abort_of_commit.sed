# rule: M5
# file: hw/cutthrough/router.v
# caught by: router_abort_tb
# An abort_request aborts in the clock in which the terminator moves.
s/(wire +aborts +=) .*/\1 split \&\& (abort_pending || abort_request);/
