# rule: U4
# file: hw/cutthrough/router.v
# caught by: router_unicast_tb
# A connection is released when its terminator is shown, not when it is latched.
s/\.terminated\(terminated\[o\]\)/.terminated(terminated[o] || column[WORD_WIDTH +: 3] == `POSTROAD_TAG_END_OF_PACKET)/
