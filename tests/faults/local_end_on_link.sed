# rule: P5
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# local_end_of_packet goes to links, where it has no code: branches lose their terminator.
s/(if \(o > 0\) assign remote_words.* =) word;/\1 |local_ends ? {LINK_WIDTH{1'b0}} : word;/
