# SPDX-License-Identifier: ISC
# rule: F3d
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# A head that waits goes straight on by what the link shows behind it, and may be given what it asks for, too.
s/\&\& !held \&\& !down/\&\& !down/
