# SPDX-License-Identifier: ISC
# rule: U1
# file: hw/cutthrough/axis_way.v
# caught by: dimension_order_tb
# Half way round goes the negative way.
s/(\{forward, 1'b0\}) > (\{1'b0, around\})/\1 >= \2/
