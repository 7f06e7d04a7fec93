#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What a source takes for acknowledged by relays has been delivered, in every state that spin reaches of relays.pml; and spin
# finds the mistakes that the model names: one of them, which SEED draws; LONG: all.
# needs only: nothing
# reads: tests/formal
set -uo pipefail
cd "$(dirname "$0")" || exit 1
faults=0
# expect STATUS MACRO...: 0 proved, 2 spin finds an error.
expect() {
    local status=0
    ./check_model relays.pml "${@:2}" >/dev/null || status=$?
    [ $status = "$1" ] || { echo "relays.pml ${*:2}: exit status $status, expected $1"; faults=1; }
}

expect 0
bugs=(1 2 3 4)
[ -n "${LONG:-}" ] || bugs=("${bugs[${SEED:-1} % 4]}")
for bug in "${bugs[@]}"; do
    expect 2 -DBUG=$bug
done
[ $faults = 0 ] && echo "all good"
exit $faults
