# SPDX-License-Identifier: ISC
# rule: F3d
# file: hw/common/net_input.v
# caught by: net_input_tb
# A word that falls through an empty queue is stored as well.
s/(wire enqueues = arrives) \&\& .*/\1;/
