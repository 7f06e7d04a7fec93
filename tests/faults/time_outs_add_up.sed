# SPDX-License-Identifier: ISC
# rule: M6
# file: hw/cutthrough/split.v
# caught by: router_split_tb
# The clocks of one word are added to those of the next.
s/if \(reset \|\| !stands \|\| aborts\)/if (reset || !active || aborts)/
