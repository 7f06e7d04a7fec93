# SPDX-License-Identifier: ISC
# rule: M3
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# Targets of multicasts choose among outputs.
s/(\.lists\()unicast \? unicast_lists : 8'h00/\1unicast_lists/
