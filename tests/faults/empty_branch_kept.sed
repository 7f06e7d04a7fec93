# rule: M7
# file: hw/cutthrough/router.v
# caught by: router_abort_tb
# A branch that carried nothing is not released by an abort.
s/\.release_now\([^,]*\),/.release_now(1'b0),/
