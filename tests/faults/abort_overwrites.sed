# rule: M7
# file: hw/cutthrough/net_output.v
# caught by: net_output_tb
# abort_packet overwrites what the latch holds.
s/if \(empties\) link <= owed/if (empties || owed) link <= owed/
