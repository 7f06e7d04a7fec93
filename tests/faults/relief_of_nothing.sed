# SPDX-License-Identifier: ISC
# rule: R3
# file: hw/cutthrough/router.v
# caught by: router_relief_tb
# A limit of 0 is a period of 0.
s/relief \&\& \|relief_limit/relief/
