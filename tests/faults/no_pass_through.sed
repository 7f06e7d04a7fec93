# SPDX-License-Identifier: ISC
# rule: M2
# file: hw/cutthrough/heading.v
# caught by: router_multicast_tb
# caught by: mesh_scenarios_tb +scenario=passes_whole
# A multicast head waits for local instead of passing through.
s/\{LINKS\{!ask_local\}\}/{LINKS{!ask_local \&\& (unicast || connected)}}/
