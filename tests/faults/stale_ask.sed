# SPDX-License-Identifier: ISC
# rule: M3
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# A further target takes the branch that the one before it asked for.
s/ \& \{PORTS\{looked_up\}\}//
