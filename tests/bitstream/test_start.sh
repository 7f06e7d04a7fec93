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

# shellcheck source=tests/bitstream/start_figures.bash
source tests/bitstream/start_figures.bash

# The channels that the page has written by hand are lines of the file that the tree has.
while read -r line; do
    grep -qFx -- "$line" $testbed || fail "'$line' is no line of $testbed"
done < <(sed -n '/^\[analyser\]$/,/^END$/{/^END$/d;p}' $page)

XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR
trap 'build/postroad down --all --quiet 2>/dev/null; rm -rf "$XDG_RUNTIME_DIR"; rm -f pair.sr' EXIT
awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' $page | bash -e >"$XDG_RUNTIME_DIR/said" 2>&1 ||
    { cat "$XDG_RUNTIME_DIR/said"; fail "a command fails"; }

near "$(figure "$XDG_RUNTIME_DIR/said" left.east 'left east.head')" $HEAD_US 'to the strobe of the head'
near "$(figure "$XDG_RUNTIME_DIR/said" left.east 'right local.head')" $OPERATOR_US 'to the operator of the other board'
exit $status
