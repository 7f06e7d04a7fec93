# SPDX-License-Identifier: ISC
# rule: M7
# file: hw/cutthrough/router.v
# caught by: mesh_scenarios_tb +scenario=multicast_ring
# An abort has no effect on a split connection without a remote branch: its head waits for ever.
s/(aborts +<= split) \&\& !aborts/\1 \&\& |branches \&\& !aborts/
