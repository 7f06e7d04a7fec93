# SPDX-License-Identifier: ISC
# rule: U3
# file: hw/cutthrough/heading.v
# caught by: router_unicast_tb
# Packets from this site divert too.
s/(wire +overdue +=) .*/\1 age[1];/
