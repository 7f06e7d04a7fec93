# SPDX-License-Identifier: ISC
# rule: U2
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# A head that waits is taken for a stray word.
s/(assign stray +=) (.*);/\1 (\2) || (held \&\& !connected \&\& |asks);/
