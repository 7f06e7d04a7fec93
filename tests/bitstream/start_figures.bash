# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# The latencies of the two boards of boards/START.md, in us; `source tests/bitstream/start_figures.bash`, in the tree's folder, behind a
# function `fail`. In clocks of 12 MHz: 97 from the start bit to the hand-over to the router (hw/board_link/README.md), 189 to the
# other operator.
source tests/tools.bash
export HEAD_US=8.083 OPERATOR_US=15.75

# figure FILE FROM TO: its median in us and the half of its interval.
figure() {
    awk -v way="$2 $3 " '{ gsub(/  +/, " ") } index($0, way) == 1 { found = 1 }
        found && $1 == "median" { print $2, substr($4, 2); exit }' "$1"
}

# near FIGURE TRUTH WHAT
near() {
    awk -v truth="$2" '{ found = 1; exit !($2 > 0 && $1 - $2 <= truth && truth <= $1 + $2) } END { exit !found }' <<<"$1" ||
        fail "$3: $1 us, expected $2 within"
}
