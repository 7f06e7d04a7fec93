# rule: M5
# file: hw/cutthrough/connection.v
# caught by: router_multicast_tb
# A word moves when any branch is ready.
s/(wire +branches_ready +=) .*/\1 |(waiting_for \& ready) || waiting_for == {PORTS{1'b0}};/
