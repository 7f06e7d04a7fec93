# SPDX-License-Identifier: ISC
# rule: R3
# file: hw/cutthrough/router.v
# caught by: router_relief_tb
# caught by: mesh_scenarios_tb +scenario=relief_ring
# In relief a head never diverts.
s/(wire +head_expires += !never_diverts)/\1 \&\& !relieved/
