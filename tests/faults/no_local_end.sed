# SPDX-License-Identifier: ISC
# rule: M8
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# local_end_of_packet is never made: the operator sends the packet again.
s/\{blocked \|\| \(gets \&\& commits \&\& some_local\),/{blocked,/
