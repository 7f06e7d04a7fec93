#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Verbs that were started with a closed standard descriptor: none takes a file of its own for it, none hangs, and a result that
# cannot be printed is an error.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash closed
name=grid-2x2
EXPECT_SECONDS=20

# closed DESCRIPTOR STATUS VERB...: with that one closed, and what it prints into a file where another is.
closed() {
    local descriptor=$1 wanted=$2 status out=$directory/out errors=$directory/errors
    shift 2
    case $descriptor in
        0) timeout 20 "$postroad" "$@" >"$out" 2>"$errors" <&- ;;
        1) timeout 20 "$postroad" "$@" 2>"$errors" </dev/null >&- ;;
        2) timeout 20 "$postroad" "$@" >"$out" </dev/null 2>&- ;;
    esac
    status=$?
    [ $status = "$wanted" ] || fault "exit status $status, expected $wanted, with $descriptor closed: $* : $(cat "$errors")"
}

for ((descriptor = 0; descriptor < 3; descriptor++)); do
    printed=$((descriptor == 1 ? 2 : 0)) # where it is to be seen
    closed $descriptor $printed up hw/mesh/$name.mesh --nodes native --name $name
    closed $descriptor $printed list
    closed $descriptor $printed map
    closed $descriptor $printed ping 1 --count 2
    closed $descriptor $printed stats
    closed $descriptor $printed send 1-3 --data text:go
    closed $descriptor $printed sim hw/mesh/$name.mesh --packets 100 --quiet
    closed $descriptor 0 down $name --quiet
done
# A keyboard that is closed is at its end.
expect 0 '^up:' "$postroad" up hw/mesh/$name.mesh --nodes native --name $name
closed 0 0 console 1
[ $faults = 0 ] && echo "all good"
[ $faults = 0 ]
