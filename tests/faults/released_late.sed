# SPDX-License-Identifier: ISC
# rule: M9
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# Local is released behind the second data word.
s/single, some_local,/single, second, some_local,/
s/\(clear \&\& tag == `POSTROAD_TAG_DATA\)\);/(clear \&\& second \&\& tag == `POSTROAD_TAG_DATA));\n        second <= split \&\& (second || (clear \&\& tag == `POSTROAD_TAG_DATA));/
