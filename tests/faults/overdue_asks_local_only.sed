# SPDX-License-Identifier: ISC
# rule: U3
# file: hw/cutthrough/heading.v
# caught by: router_unicast_tb
# An overdue head asks local alone, even if its list comes free.
s/(wire +diverts += overdue) \&\& !age\[0\]/\1/
