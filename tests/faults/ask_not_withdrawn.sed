# SPDX-License-Identifier: ISC
# rule: F3d
# file: hw/cutthrough/heading.v
# caught by: router_unicast_tb
# A head asks for another output in the clock in which it may have been granted one: two outputs take it.
s/connected \? asks : asks \& choice/connected ? asks : choice/
