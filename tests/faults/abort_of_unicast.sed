# SPDX-License-Identifier: ISC
# rule: F1
# file: hw/cutthrough/router.v
# caught by: router_unicast_tb
# abort_request aborts connections that are not split.
s/(aborts +<=) split \&\&/\1 |owned \&\&/
s/(abort_pending +<=) split \&\&/\1 |owned \&\&/
