# SPDX-License-Identifier: ISC
# rule: U2
# file: hw/cutthrough/heading.v
# caught by: router_unicast_tb +errors=100000
# A head that finds no output is dropped instead of tried again.
s/(assign stray +=) (.*);/\1 (\2) || (held \&\& unicast \&\& !connected \&\& |asks \&\& (asks \& available) == {PORTS{1'b0}});/
