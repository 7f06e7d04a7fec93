#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# boards/START.md, typed from top to bottom on boards simulated from their bitstream: its wires and channels are those of the
# testbed file, and the capture gives the figures that the boards have, each within its interval.
# runs in: test-long
# time limit: 1800 s
# needs: build/postroad build/simulate_boards
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

page=boards/START.md testbed=boards/testbeds/icebreaker-probes.ini
status=0
fail() {
    echo "FAIL $page: $*"
    status=1
}

# The channels that the page has written by hand are lines of the file that the tree has.
while read -r line; do
    grep -qFx -- "$line" $testbed || fail "'$line' is no line of $testbed"
done < <(sed -n '/^\[analyser\]$/,/^END$/{/^END$/d;p}' $page)

XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR
trap 'build/postroad down --all --quiet 2>/dev/null; rm -rf "$XDG_RUNTIME_DIR"; rm -f pair.sr' EXIT
awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' $page | bash -e >"$XDG_RUNTIME_DIR/said" 2>&1 ||
    { cat "$XDG_RUNTIME_DIR/said"; fail "a command fails"; }

# figure FROM TO: its median in us and the half of its interval.
figure() {
    awk -v way="$1 $2 " '{ gsub(/  +/, " ") } index($0, way) == 1 { found = 1 }
        found && $1 == "median" { print $2, substr($4, 2); exit }' "$XDG_RUNTIME_DIR/said"
}

# In clocks of 12 MHz: 97 from the start bit to the hand-over to the router (README.md), 189 to the other operator.
near() {
    awk -v truth="$2" '{ found = 1; exit !($2 > 0 && $1 - $2 <= truth && truth <= $1 + $2) } END { exit !found }' <<<"$1" ||
        fail "$3: $1 us, expected $2 within"
}
near "$(figure left.east 'left east.head')" 8.083 'to the strobe of the head'
near "$(figure left.east 'right local.head')" 15.75 'to the operator of the other board'
exit $status
