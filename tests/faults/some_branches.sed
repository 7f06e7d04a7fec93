# SPDX-License-Identifier: ISC
# rule: M5
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# A word moves when any branch is ready.
s/\(copy \& ~ready\) == \{PORTS\{1'b0\}\}/|(copy \& ready)/
