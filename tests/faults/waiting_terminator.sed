# SPDX-License-Identifier: ISC
# rule: U4
# file: hw/cutthrough/access.v
# caught by: access_tb
# An output is given away while the last terminator waits in its latch.
s/(wire grants = !owned) \&\& ready/\1/
