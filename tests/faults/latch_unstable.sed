# SPDX-License-Identifier: ISC
# rule: F3b
# file: hw/cutthrough/net_output.v
# caught by: net_output_tb
# A word in the latch changes while the status is wait.
s/(word_next +=) busy \&\& !link_wait/\1 busy/
