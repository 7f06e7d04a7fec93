# SPDX-License-Identifier: ISC
# rule: M11
# file: hw/cutthrough/split.v
# caught by: router_split_tb
# caught by: mesh_scenarios_tb +scenario=deferred
# A deferred target is not marked: its operator does not send it on.
s/(assign marks +=).*/\1 at_home;/
