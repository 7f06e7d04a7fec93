#!/usr/bin/env bash
# The machinery of tests/faults/mutate: a wrong gate is killed by a bench; no bench kills a netlist that was not changed, and it
# is found equal; a wrong gate that no bench has seen is found to differ.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
status=0

# expect VERDICTS OPTIONS...: of mutants of the flop `valid`.
expect() {
    local expected=$1 found
    shift
    tests/faults/mutate "$@" fifo_buffer
    found=$(cut -f 2,3 build/mutation/fifo_buffer/results | tr '\t\n' ' ,')
    [ "$found" = "$expected" ] || { echo "FAIL: $found expected $expected"; status=1; }
}

expect "equal equal,killed fabric_timing_tb," -b 1 -n 2 -f '-none -mode inv -wire valid'
expect "survived differs," -b 0 -n 1 -f '-mode inv -wire valid'
[ $status -eq 0 ] && echo PASS
exit $status
