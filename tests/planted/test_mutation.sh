#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The machinery of tests/planted/mutate: a wrong gate is killed by a bench; no bench kills a netlist that was not changed, and it
# is found equal; a wrong gate that no bench has seen is found to differ. The same of tests/planted/mutate_lines: wrong lines.
# time limit: 1200 s
# runs in: test-long
# needs only: nothing
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
status=0

# expect VERDICTS OPTIONS...: of mutants of the flop `valid`.
expect() {
    local expected=$1 found
    shift
    tests/planted/mutate "$@" fifo_buffer
    found=$(cut -f 2,3 build/mutation/fifo_buffer/results | tr '\t\n' ' ,')
    [ "$found" = "$expected" ] || { echo "FAIL: $found expected $expected"; status=1; }
}

expect "equal equal,killed fabric_timing_tb," -b 1 -n 2 -f '-none -mode inv -wire valid'
expect "survived differs," -b 0 -n 1 -f '-mode inv -wire valid'

# Wrong lines (tests/planted/mutate_lines): those that a check notices; one that no check has seen survives.
expect_lines() {
    local expected=$1 found
    shift
    tests/planted/mutate_lines "$@" net_input
    found=$? found+=" $(cut -f 2 build/mutation/lines/results | tr '\n' ,)"
    [ "$found" = "$expected" ] || { echo "FAIL: $found expected $expected"; status=1; }
}

expect_lines "0 killed,killed," -n 2
expect_lines "1 survived," -b 0 -n 1

# A change that changes nothing is refused.
wrong=build/mutation/operators.awk
echo 'FNR == 1 { printf "1\t1\t2\t//\n" }' >$wrong
tests/planted/mutate_lines -o $wrong -b 0 -n 1 net_input
[ $? = 2 ] || { echo "FAIL: a change that was not applied counts"; status=1; }
[ $status -eq 0 ] && echo PASS
exit $status
