# SPDX-License-Identifier: ISC
# rule: F1
# file: hw/common/net_output.v
# caught by: net_output_tb
# The router may load a net_output whose link waits.
s/(assign ready += )!link_wait \&\& /\1/
