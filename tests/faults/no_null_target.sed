# SPDX-License-Identifier: ISC
# rule: P3
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# Foreign slots are left out instead of filled with null_target.
s/(wire +upper +=) .*/\1 whole;/
