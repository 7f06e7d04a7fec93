# SPDX-License-Identifier: ISC
# rule: U3
# file: hw/cutthrough/heading.v
# caught by: router_unicast_tb
# Strict packets never divert on a grid: with traffic that chooses its way they can wait in a ring for ever.
s/slow \? slow_tick : tick/slow ? 1'b0 : tick/
