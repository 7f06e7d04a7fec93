# SPDX-License-Identifier: ISC
# rule: M8
# file: hw/cutthrough/router.v
# caught by: router_split_tb
# local_end_of_packet whether a target was marked or not.
s/(middle \&\& terminator \&\& branch) \&\& any_marked/\1/
