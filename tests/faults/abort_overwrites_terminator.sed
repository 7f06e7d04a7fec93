# rule: M7
# file: hw/cutthrough/connection.v hw/cutthrough/router.v hw/cutthrough/net_output.v
# caught by: mesh_scenarios_tb +scenario=waiting_terminator
# The paper read literally: an output is available as soon as nobody owns it (U4), and an abort overwrites its latch.
s/\.available\(ready & ~owned\)/.available({~owned[PORTS-1:1], ready[0] \& ~owned[0]})/
s/\|grant : \|remote_grant\)/|(grant \& ready) : |(remote_grant \& ready))/
s/remote_open = \|remote_grant \|\|/remote_open = |(remote_grant \& ready) ||/
s/head \? grant$/head ? grant \& ready/
s/if \(empties\) link <= owed/if (empties || owed) link <= owed/
