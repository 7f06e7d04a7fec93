# SPDX-License-Identifier: ISC
# rule: X1
# file: hw/cutthrough/heading.v
# caught by: fabric_release_tb
# Where packets never divert, a head that could only go back waits for ever, and so does what comes behind it.
s/ \&\& !\(never_diverts \&\& \|onward\)/ \&\& !never_diverts/
