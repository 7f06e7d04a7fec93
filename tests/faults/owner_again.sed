# SPDX-License-Identifier: ISC
# rule: U1
# file: hw/cutthrough/access.v
# caught by: access_tb
# The source whose packet has ended gets the output again though another one asks.
s/k\[SELECT-1:0\] > select\) next/k[SELECT-1:0] >= select) next/
