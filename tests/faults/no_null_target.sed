# SPDX-License-Identifier: ISC
# rule: P3
# file: hw/cutthrough/router.v
# caught by: router_split_tb
# Gaps instead of null_target in the places of other branches.
s/\(upper \&\& \(lower \? site : any\)\) \|\| passes/(upper \&\& (lower ? own_site : own_info)) || passes/
