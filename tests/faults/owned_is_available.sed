# SPDX-License-Identifier: ISC
# rule: U1
# file: hw/cutthrough/access.v
# caught by: access_tb
# An output that a packet owns turns to another.
s/if \(!owned \&\& \(ready/if ((ready/
