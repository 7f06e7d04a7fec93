# SPDX-License-Identifier: ISC
# rule: M10
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# Further targets of a packet that passes whole are looked up.
s/site_word \&\& \(!connected \|\| master\)/site_word/
