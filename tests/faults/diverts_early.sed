# SPDX-License-Identifier: ISC
# rule: U3
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# caught by: router_unicast_tb
# A head diverts in its first period.
s/(wire gives_up .*) overdue \&\& expires/\1 expires/
