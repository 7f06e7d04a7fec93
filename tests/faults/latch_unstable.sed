# SPDX-License-Identifier: ISC
# rule: F3b
# file: hw/common/net_output.v
# caught by: net_output_tb
# The word changes while the status is wait.
s/(word_next +=) !link_wait \?/\1 1'b1 ?/
