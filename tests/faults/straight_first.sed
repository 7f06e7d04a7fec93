# SPDX-License-Identifier: ISC
# rule: U1
# file: hw/cutthrough/access.v
# caught by: access_tb
# A head that goes straight on does not yield to who asks.
s/(assign passes = .*) \&\& !any/\1/
