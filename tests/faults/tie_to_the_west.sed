# SPDX-License-Identifier: ISC
# rule: U1
# file: hw/common/axis_way.v
# caught by: dimension_order_tb
# Half way round goes the negative way.
s/(\{forward, 1'b0\}) > (\{1'b0, around\})/\1 >= \2/
