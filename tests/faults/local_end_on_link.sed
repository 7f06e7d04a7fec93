# SPDX-License-Identifier: ISC
# rule: P5
# file: hw/cutthrough/router.v
# caught by: router_split_tb
# A branch does not get the terminator that was received if local gets another.
s/\(lower \&\& \(upper \? own_site : any\)\)/(lower \&\& (upper ? own_site : any \&\& !(copy[o] \&\& any_marked)))/
