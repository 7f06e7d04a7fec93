# rule: R2
# file: hw/cutthrough/connection.v
# caught by: router_relief_tb
# Packets that begin here are held back too.
s/relieved && !FROM_LOCAL/relieved/
