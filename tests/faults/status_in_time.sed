# SPDX-License-Identifier: ISC
# rule: F3a
# file: hw/common/net_input.v
# caught by: net_input_tb
# The status depends on the word shown in the same clock.
s/(assign link_wait +=) stood;/\1 stays;/
