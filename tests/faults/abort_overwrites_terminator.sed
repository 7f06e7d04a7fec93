# SPDX-License-Identifier: ISC
# rule: M7
# file: hw/cutthrough/router.v hw/cutthrough/access.v hw/cutthrough/net_output.v
# caught by: mesh_scenarios_tb +scenario=waiting_terminator
# The paper read literally: an output is available as soon as nobody owns it (U4), and an abort overwrites its latch.
s/(wire grants = !owned) \&\& ready/\1/
s/branches \& ~unused_branches \& /branches \& /
s/(tag_next +=) link_wait \?/\1 link_wait \&\& !owed ?/
