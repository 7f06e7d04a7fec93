# SPDX-License-Identifier: ISC
# rule: M4
# file: hw/cutthrough/router.v
# caught by: router_abort_tb
# From the clock behind the request on local gets no pads.
s/(wire +blocked += split \&\& !)aborts/\1abort_pending/
