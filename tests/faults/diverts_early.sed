# SPDX-License-Identifier: ISC
# rule: U3
# file: hw/cutthrough/heading.v
# caught by: router_unicast_tb
# Diverts in the first period, before the tries exceed the threshold.
s/(wire +diverts +=) overdue \&\& !age\[0\]/\1 |age \&\& PORT != 0/
