# SPDX-License-Identifier: ISC
# rule: M3
# file: hw/cutthrough/split.v
# caught by: router_split_tb
# A target whose branch is open does not find it again when it has to wait.
s/requested <= asked\[PORTS-1:1\];/requested <= asked[PORTS-1:1] \& ~branches;/
