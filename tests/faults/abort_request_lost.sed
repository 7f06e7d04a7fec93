# SPDX-License-Identifier: ISC
# rule: F4
# file: hw/cutthrough/fabric_core.v
# caught by: mesh_scenarios_tb +scenario=figure_4
# abort_request does not get from the local fifo_buffer to the router.
s/\.abort_request\(delivered_status == .*\),/.abort_request(1'b0),/
