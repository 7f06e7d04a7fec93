# rule: P3
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# null_target keeps the lower bits of the word in whose place it stands.
s/column\[LINK_WIDTH-2:0\] \& \{LINK_WIDTH-1\{whole\}\}/column[LINK_WIDTH-2:WORD_WIDTH] \& {2{whole}}, column[WORD_WIDTH-1:0] \& {WORD_WIDTH{upper}}/
