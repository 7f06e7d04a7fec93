# SPDX-License-Identifier: ISC
# rule: M3
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# A further target is taken for one of this site because the one before it was.
s/\(master \& held \& at_home\)/(master \& at_home)/
