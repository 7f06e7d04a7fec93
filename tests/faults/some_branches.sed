# rule: M5
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# A word moves when any branch is ready.
s/(wire +branches_ready +=) [^;]*;/\1 |(branches \& ready) || branches == {PORTS{1'b0}};/
