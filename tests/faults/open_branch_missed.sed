# SPDX-License-Identifier: ISC
# rule: M3
# file: hw/cutthrough/split.v
# caught by: router_split_tb
# A target whose branch is open does not find it again when it has to wait.
s/(assign entry +=).*/\1 branches \& leads \& {LINKS{!decided}};/
