# SPDX-License-Identifier: ISC
# rule: P5
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# local_end_of_packet goes to links, where it has no code: branches lose their terminator.
s/(wire +whole +=) (.*);/\1 (\2) \&\& !(copy[o] \&\& ended \&\& some_local);/
