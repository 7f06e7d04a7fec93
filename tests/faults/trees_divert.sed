# SPDX-License-Identifier: ISC
# rule: M1
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# A tree that waits for local counts as diverted.
s/(diverts = .*) \&\& !asks_local/\1/
