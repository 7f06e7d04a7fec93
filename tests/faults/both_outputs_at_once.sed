# SPDX-License-Identifier: ISC
# rule: M1
# file: hw/cutthrough/heading.v
# caught by: mesh_scenarios_tb +scenario=multicast_ring
# A multicast head waits until local and remote are available in one clock.
s/local_free \&\& !held_back/local_free \&\& !held_back \&\& |(list \& available)/
s/\{LINKS\{!ask_local\}\}/{LINKS{!ask_local \&\& (unicast || connected)}}/
