# SPDX-License-Identifier: ISC
# rule: M10
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# A tree is split where it goes straight on.
s/ \&\& !\(OPPOSITE != 0 \&\& list\[OPPOSITE\]\)//
