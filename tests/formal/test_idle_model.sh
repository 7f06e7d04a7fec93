#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The daemon never sleeps while something is due, in every state that spin reaches of idle.pml; and spin finds the mistakes that
# the model names.
# needs only: nothing
# reads: tests/formal
set -uo pipefail
cd "$(dirname "$0")" || exit 1
faults=0
# expect STATUS MACRO...: 0 proved, 2 spin finds an error.
expect() {
    local status=0
    OPTIMISE=0 ./check_model idle.pml "${@:2}" >/dev/null || status=$?
    [ $status = "$1" ] || { echo "idle.pml ${*:2}: exit status $status, expected $1"; faults=1; }
}

for time in -DFREE -DQUANTUM; do
    for sites in -DSLEEPING -DSLEEPLESS; do
        expect 0 $time $sites
        expect 2 $time $sites -DBUG=2
        expect 2 $time $sites -DBUG=3
    done
    expect 2 $time -DSLEEPLESS -DBUG=1
done
[ $faults = 0 ] && echo "all good"
exit $faults
