# rule: M9
# file: hw/cutthrough/router.v
# caught by: router_multicast_tb
# The branch of a packet that went on as a unicast counts as a branch of the next one.
s/(copy +<= .*) \& \{PORTS\{split\}\}/\1 \& {PORTS{!(clear \&\& terminator || aborts)}}/
