# SPDX-License-Identifier: ISC
# rule: P1
# file: hw/cutthrough/router.v
# caught by: router_split_tb
# target_info goes to every branch.
s/upper \? own_info : any/any/
