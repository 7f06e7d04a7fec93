# rule: M7
# file: hw/cutthrough/router.v hw/cutthrough/access.v hw/cutthrough/net_output.v
# caught by: mesh_scenarios_tb +scenario=waiting_terminator
# The paper read literally: an output is available as soon as nobody owns it (U4), and an abort overwrites its latch.
s/(assign takes += !owned \&\& wanted) \&\& ready/\1/
s/branches \& ~opened \& /branches \& /
s/if \(empties\) link <= owed/if (empties || owed) link <= owed/
