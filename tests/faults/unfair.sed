# SPDX-License-Identifier: ISC
# rule: U1
# file: hw/cutthrough/access.v
# caught by: access_tb
# The circle of sources has a beginning: who asks first in it always comes first.
s/k\[SELECT-1:0\] > select\) next/k > SOURCES) next/
