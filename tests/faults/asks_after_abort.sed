# SPDX-License-Identifier: ISC
# rule: M7
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# An aborted packet asks for branches until it has been released.
s/ \&\& !aborting : site_word/ : site_word/
