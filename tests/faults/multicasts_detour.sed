# SPDX-License-Identifier: ISC
# rule: M3
# file: hw/common/dimension_order.v
# caught by: dimension_order_tb
# caught by: heading_tb
# Multicasts go round a link that is down, too: their branches meet again.
s/(wire detour = )unicast \&\& /\1/
