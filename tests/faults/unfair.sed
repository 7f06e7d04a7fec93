# rule: U1
# file: hw/common/round_robin.v
# caught by: round_robin_tb
# The arbiter has a fixed order.
s/behind <= ~\(.*/behind <= {N{1'b0}};/
