# SPDX-License-Identifier: ISC
# rule: M5
# file: hw/cutthrough/split.v
# caught by: router_split_tb
# A word moves when one branch is ready.
s/\(copy \& ~ready\) == \{PORTS\{1'b0\}\}/|(copy \& ready)/
