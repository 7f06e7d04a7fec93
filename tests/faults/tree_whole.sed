# SPDX-License-Identifier: ISC
# rule: M1
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# caught by: router_split_tb
# A head that turns is not split.
s/(wire splits = ).*/\1 1'b0;/
