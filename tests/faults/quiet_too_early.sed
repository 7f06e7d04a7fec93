# SPDX-License-Identifier: ISC
# rule: quiet
# file: hw/cutthrough/fabric_core.v
# caught by: fabric_quiet_tb
# A word in a net_output does not keep the fabric from being quiet.
s/ \&\& \&outputs_quiet//
