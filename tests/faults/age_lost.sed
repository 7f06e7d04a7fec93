# SPDX-License-Identifier: ISC
# rule: U4
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# A head whose grant lapses begins anew.
s/(overdue +<= held) \&\&/\1 \&\& !connected \&\&/
