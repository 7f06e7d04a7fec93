# rule: F3d
# file: hw/cutthrough/connection.v
# caught by: connection_tb
# A head that local got alone is given to it again with the remote branch.
s/LOCAL \& \{PORTS\{!local_has_word\}\}/LOCAL/
