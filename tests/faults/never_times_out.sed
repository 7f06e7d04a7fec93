# SPDX-License-Identifier: ISC
# rule: M6
# file: hw/cutthrough/split.v
# caught by: router_split_tb
# caught by: mesh_scenarios_tb +scenario=tree_ring
# A split packet whose branch stands is not aborted.
s/\{stood, 1'b1\}/{1'b0, stood[0], 1'b1}/
