# rule: M7
# file: hw/cutthrough/router.v
# caught by: router_abort_tb
# The branches of an aborted packet count as branches of the next one.
s/(copy +<= .*) \& \{PORTS\{split\}\}/\1 \& {PORTS{!(clear \&\& terminator || singles)}}/
