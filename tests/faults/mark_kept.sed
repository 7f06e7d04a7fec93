# SPDX-License-Identifier: ISC
# rule: M8
# file: hw/cutthrough/split.v
# caught by: router_split_tb
# The next packet ends as if one of its targets were marked.
s/marked <= active \&\&/marked <=/
