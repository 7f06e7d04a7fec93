# SPDX-License-Identifier: ISC
# rule: F3d
# file: hw/cutthrough/heading.v
# caught by: heading_tb
# A head that was shown before goes straight on by what its link shows.
s/\&\& !held \&\& !down/\&\& !down/
