# SPDX-License-Identifier: ISC
# rule: U1
# file: hw/cutthrough/router.v
# caught by: router_unicast_tb
# A net_output that nobody owns is not told of a head that goes straight on: it sends the head's tag with an old word.
s/(assign present\[o\] = owned\[o\]) .*/\1;/
