# SPDX-License-Identifier: ISC
# rule: M1
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# A tree requests local and its branch at once.
s/(asks_link +<= requests .*) \&\& !splits;/\1;/
