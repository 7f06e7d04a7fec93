# SPDX-License-Identifier: ISC
# rule: U4
# file: hw/cutthrough/access.v
# caught by: access_tb
# Grants lapse where no ring is.
s/(wire lapses = )rings \&\& /\1/
