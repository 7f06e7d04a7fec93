# SPDX-License-Identifier: ISC
# rule: U1
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# A packet that has its output asks for one still, by whatever its words look like.
s/ \& \{PORTS\{waits\}\};/;/
