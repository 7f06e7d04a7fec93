# SPDX-License-Identifier: ISC
# rule: R4
# file: hw/cutthrough/heading.v
# caught by: router_relief_tb
# A head goes straight on into an output that is down.
s/\&\& !down\[OPPOSITE\] \&\&/\&\&/
