# SPDX-License-Identifier: ISC
# rule: R2
# file: hw/cutthrough/heading.v
# caught by: router_relief_tb
# Packets that begin here are held back too.
s/(wire +held_back +=) relieved \&\& !overdue \&\& PORT != 0/\1 relieved \&\& !overdue/
