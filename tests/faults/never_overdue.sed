# SPDX-License-Identifier: ISC
# rule: U3
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# A head does not age.
s/(overdue +<=) held .*/\1 1'b0;/
