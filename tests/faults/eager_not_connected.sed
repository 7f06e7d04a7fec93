# SPDX-License-Identifier: ISC
# rule: P6
# file: hw/cutthrough/router.v
# caught by: eager_traffic_tb
# A head that went on before it was compared, and rightly, is not connected: the rest of its packet is dropped.
s/\|\| (wrong\[source\(o, 0\)\]);/|| \1 || right[source(o, 0)];/
