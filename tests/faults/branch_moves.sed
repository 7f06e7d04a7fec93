# SPDX-License-Identifier: ISC
# rule: P3
# file: hw/cutthrough/heading.v
# caught by: router_relief_tb
# A target looks for another branch when a link goes down after it has opened one.
s/connected \? asks : asks \& choice/asks \& choice/
