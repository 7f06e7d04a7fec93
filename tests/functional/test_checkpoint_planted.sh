#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Bugs planted in checkpoints (tests/functional/planted_checkpoint): test_checkpoint, test_checkpoint_ranks or test_run_memory
# must find each. One of each file, and under `make faults` (or with ALL_PLANTED=1) all.
# time limit: 900 s
# needs: build/sim/ranks-mpi.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
survived=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
includes="-Ihw/protocol -Ifirmware -Ibuild/firmware/include -Isim -Ihost-tools"
libraries="-ledit -ludev -luv -lsodium -lcjson -linih -lzip -lminizip -lz -lbz2 -lm -ldl"

# build: a program with the bug; its object comes before those of the archives.
build() {
    # shellcheck disable=SC2086  # words
    "${CC:-gcc}" -std=c11 -O1 -w -no-pie $includes -o "$work/postroad" "$work/bug.c" host-tools/postroad/main.c build/libcli.a \
        build/libpostroad.a build/libsim.a build/libfirmware.a $libraries
}

build_memory() {
    # shellcheck disable=SC2086  # words
    "${CC:-gcc}" -std=c11 -O1 -w $includes -Itests -o "$work/memory" "$work/bug.c" tests/sim/test_run_memory.c tests/check.c \
        build/libsim.a -lm
}

# judge CHECK: 0 if it passes with the bug.
judge() {
    local script=tests/functional/test_checkpoint.sh
    [ "$1" != memory ] || { build_memory && "$work/memory"; return; }
    [ "$1" = one ] || script=tests/functional/test_checkpoint_ranks.sh
    (ulimit -c 0; exec timeout 120 $script "$work/postroad" quick </dev/null) # mpirun would read the list of bugs
}

# plant FILE WHAT CHECK SCRIPT
plant() {
    local verdict=MISSED
    fault_start
    sed -E "$4" "$1" >"$work/bug.c"
    if cmp -s "$1" "$work/bug.c"; then
        echo "FAIL: $1, $2: the script changes nothing"
    elif ! build >"$work/log" 2>&1; then
        echo "FAIL: $1, $2: does not compile: $(grep -m 1 error "$work/log")"
    elif judge "$3" >"$work/log" 2>&1; then
        echo "FAIL: $1, $2: not caught"
    else
        echo "$1, $2: caught: $(grep -m 1 -E "FAIL|not true|expected" "$work/log" | cut -c 1-150)"
        verdict=caught
    fi
    [ $verdict = caught ] || survived=$((survived + 1))
    fault_result $verdict - "$1: $2" "$3"
}

declare -A planted
while IFS='|' read -r file what check script; do
    [[ $file == '#'* ]] && continue
    [ -z "${FAULTS_RESULTS:-}${ALL_PLANTED:-}" ] && [ -n "${planted[$file]:-}" ] && continue
    planted[$file]=1
    plant "$file" "$what" "$check" "$script"
done < <(grep . tests/functional/planted_checkpoint)
[ $survived = 0 ] && echo "PASS: planted bugs caught"
exit $((survived != 0))
