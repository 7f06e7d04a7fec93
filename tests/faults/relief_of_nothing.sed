# SPDX-License-Identifier: ISC
# rule: R3
# file: hw/cutthrough/router.v
# caught by: router_relief_tb
# A limit of 0 holds multicasts back for the tries of the threshold.
s/relief \&\& \|relief_limit/relief/
