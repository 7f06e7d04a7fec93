# SPDX-License-Identifier: ISC
# rule: M6
# file: hw/cutthrough/access.v
# caught by: access_tb
# A branch that cannot load in its first clock is given back.
s/(wire lapses = .*) \&\& !copy;/\1;/
