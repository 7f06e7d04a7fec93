# SPDX-License-Identifier: ISC
# rule: R4
# file: hw/common/dimension_order.v
# caught by: dimension_order_tb
# caught by: mesh_scenarios_tb +scenario=round_a_dead_link
# A unicast goes into a link that is down, though it also has to go in y.
s/(wire detour = ).*/\1 1'b0;/
