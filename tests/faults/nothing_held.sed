# SPDX-License-Identifier: ISC
# rule: F2
# file: hw/common/net_input.v
# caught by: net_input_tb
# The net_input forgets the word that was not taken.
s/stood <= reset \|\| stays;/stood <= reset;/
