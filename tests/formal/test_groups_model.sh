#!/bin/bash
# SPDX-License-Identifier: ISC
# Groups keep their promises in every state that spin reaches of groups.pml: join, order and merged acknowledgements; and spin
# finds the mistakes that the model names.
# time limit: 600 s
# needs only: nothing
# reads: tests/formal
set -uo pipefail
cd "$(dirname "$0")" || exit 1
faults=0
# expect STATUS MACRO...: 0 proved, 2 spin finds an error.
expect() {
    local status=0
    OPTIMISE=0 ./check_model groups.pml "${@:2}" || status=$?
    [ $status = "$1" ] || { echo "FAIL groups.pml ${*:2}: exit status $status, expected $1"; faults=1; }
}

expect 0 -DPACKETS=1
expect 0 -DJOINS -DPACKETS=1
expect 2 -DPACKETS=1 -DBUG=1
expect 2 -DPACKETS=1 -DBUG=2
if [ -n "${LONG:-}" ]; then
    expect 0 -DREJOINS -DPACKETS=1
    expect 0
    expect 0 -DORDERED
fi
[ $faults = 0 ] && echo "all good"
exit $faults
