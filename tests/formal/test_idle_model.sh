#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The daemon never sleeps while something is due, in every state that spin reaches of idle.pml; and spin finds the mistakes that
# the model names.
# needs only: nothing
# reads: tests/formal
set -uo pipefail
cd "$(dirname "$0")" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp idle.pml "$work"
cd "$work" || exit 1

# errors MACRO...: how many spin finds in this configuration, none or one.
errors() {
    spin -a "$@" idle.pml >log 2>&1 && gcc -w -DSAFETY -o pan pan.c && ./pan -m1000000 >log 2>&1 || { cat log >&2; exit 1; }
    sed -n 's/.*errors: //p' log
}

faults=0
# expect ERRORS MACRO...
expect() {
    local found
    found=$(errors "${@:2}")
    [ "$found" = "$1" ] || { echo "idle.pml ${*:2}: ${found:-no} errors, expected $1"; faults=1; }
}

for time in -DFREE -DQUANTUM; do
    for sites in -DSLEEPING -DSLEEPLESS; do
        expect 0 $time $sites
        expect 1 $time $sites -DBUG=2
        expect 1 $time $sites -DBUG=3
    done
    expect 1 $time -DSLEEPLESS -DBUG=1
done
[ $faults = 0 ] && echo "all good"
exit $faults
