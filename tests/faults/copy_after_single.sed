# SPDX-License-Identifier: ISC
# rule: M9
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# The branch of a packet that went on as a unicast counts as a branch still.
s/(\.singles\(o == 0 \? aborts :) singles/\1 1'b0/
