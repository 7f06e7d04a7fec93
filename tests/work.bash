# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# A folder of the test's own, $work, which is removed at the end; fail counts, and verdict is the last command of the test:
# `source tests/work.bash`, in the tree's folder.
source tests/tools.bash
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# verdict NAME
verdict() {
    [ $failures -eq 0 ] && echo "$1: PASS"
    [ $failures -eq 0 ]
}
