#!/bin/bash
# SPDX-License-Identifier: ISC
# The protocol of the reliable service keeps its promises in every state that spin reaches. `-l` (make formal) searches the large
# configurations too.
# time limit: 600 s
# needs only: nothing
# reads: tests/formal
set -euo pipefail
cd "$(dirname "$0")"

# shellcheck disable=SC2086  # these are words, several in each
# Packet 0 goes from site 0 to 1 and 2. Packet 1 goes from 0 to 1 as well; or back: from 1 to 0, or from 1 to 0 and 2.
back="-DSOURCE0=0 -DTARGETS0=6 -DSOURCE1=1 -DTARGETS1=1"
both="-DSOURCE0=0 -DTARGETS0=6 -DSOURCE1=1 -DTARGETS1=5"
source="-DRESTARTS=1 -DRESTARTING=1" target="-DRESTARTS=1 -DRESTARTING=6"

# `make test` searches one in three of all, from SEED on; make test-long all.
turn=${SEED:-1}
proved() {
    turn=$((turn + 1))
    [ -z "${LONG:-}" ] && [ $((turn % 3)) -ne 0 ] || ./check_model reliable.pml "$@"
}

# The same for one with few states: compiling takes longer than searching.
small() { OPTIMISE=0 proved "$@"; }

promises() {
    echo "Never twice, acknowledged only when delivered, all settled; whatever the network loses, repeats or reorders"
    small
    small -DPACKETS=3
    small -DPACKETS=3 -DORDERED
    small -DRESTARTS=1
    small -DRESTARTS=1 $back
    proved -DRESTARTS=1 $both
    small -DRESTARTS=1 -DORDERED
    proved -DRESTARTS=2 $back

    echo "Every packet settles in the end, even if nothing ever arrives"
    small -DLIVENESS
    proved -DLIVENESS $source

    echo "Every packet settles though nobody gives up, once the network loses nothing more and nobody restarts"
    small -DLIVENESS -DBOUNDED
    small -DLIVENESS -DBOUNDED -DPACKETS=3
    proved -DLIVENESS -DBOUNDED -DRESTARTS=1 $back

    echo "No deadlock"
    proved -DBOUNDED -DRESTARTS=1 $back
}

[ "${1:-}" != -l ] || LONG=1
promises

if [ "${1:-}" = -l ]; then
    echo "The large ones"
    proved -DRESTARTS=2
    proved -DPACKETS=3 -DRESTARTS=1
    proved -DPACKETS=3 -DRESTARTS=1 -DORDERED
    proved -DASKS
    proved -DASKS -DRESTARTS=1
    proved -DASKS -DRESTARTS=1 $back
    proved -DLIVENESS $target
    proved -DLIVENESS -DRESTARTS=1 $back
    proved -DLIVENESS -DBOUNDED -DRESTARTS=1
    proved -DLIVENESS -DBOUNDED -DRESTARTS=1 -DLOSSES=2 $back
    proved -DLIVENESS -DBOUNDED -DRESTARTS=2 -DCOPIES=0 $back
    proved -DBOUNDED -DRESTARTS=1
fi
