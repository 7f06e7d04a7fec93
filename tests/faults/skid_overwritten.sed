# SPDX-License-Identifier: ISC
# rule: F3c
# file: hw/common/net_input.v
# caught by: net_input_tb
# The net_input latches over a word it holds.
s/skid <= word;/skid <= link;/
