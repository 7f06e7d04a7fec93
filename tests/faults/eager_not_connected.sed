# SPDX-License-Identifier: ISC
# rule: P6
# file: hw/cutthrough/router.v
# caught by: eager_traffic_tb
# A head that was guessed right has no connection.
s/\&\& wrong\[opposite\(o\)\]\);/\&\& (wrong[opposite(o)] || right[opposite(o)]));/
