# SPDX-License-Identifier: ISC
# rule: U1
# file: hw/cutthrough/router.v
# caught by: router_unicast_tb
# The crossbar has the turns from y to x.
s/\(i - 1\) \/ 2 < \(o - 1\) \/ 2/(i - 1) \/ 2 > (o - 1) \/ 2/
