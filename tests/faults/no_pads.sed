# SPDX-License-Identifier: ISC
# rule: M4
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# A blocked split connection sends no null_transmission to local.
s/(wire +blocked +=) [^;]*;/\1 1'b0;/
