# SPDX-License-Identifier: ISC
# rule: M10
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# caught by: mesh_scenarios_tb +scenario=passes_whole
# A path is split wherever it turns.
s/(wire splits = .*)!marked \&\& /\1/
