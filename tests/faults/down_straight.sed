# SPDX-License-Identifier: ISC
# rule: R4
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# caught by: router_relief_tb
# A head goes straight on into a link that is down.
s/ \&\& !held \&\& !down\[OPPOSITE\]/ \&\& !held/
