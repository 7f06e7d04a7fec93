# SPDX-License-Identifier: ISC
# rule: M7
# file: hw/cutthrough/router.v
# caught by: router_abort_tb
# What follows an abort counts as split still.
s/(\.singles\(o == 0 \?) aborts/\1 singles/
