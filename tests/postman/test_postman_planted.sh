#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Bugs planted in the fast model of `postman` (tests/postman/planted): test_postman_model, the comparison with the RTL, or the test
# of the schedule must find each. One of each file and check, and under `make faults` (or with ALL_PLANTED=1) all.
# needs: postman-bench postman-traces
# time limit: 900 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
seed=${SEED:-1} survived=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build SOURCE PROGRAM: a program on the model in $work/postman.
build() {
    "${CC:-gcc}" -std=c11 -O1 -w -I"$work" -Isim -Itests -o "$2" "$1" tests/check.c tests/postman/traffic.c \
        "$work"/postman/*.c sim/mesh/torus_cut.c
}

# judge CHECK: 0 if it passes with the model in $work/postman, 124 if it does not end.
judge() {
    if [ "$1" = rtl ]; then
        build tests/postman/trace/main.c "$work/trace" && tests/postman/test_rtl_equality.sh "$work/trace"
    else
        build "tests/postman/test_$1.c" "$work/test" && (ulimit -c 0; exec timeout 300 "$work/test")
    fi
}

# plant FILE WHAT CHECK SCRIPT
plant() {
    local verdict=MISSED status
    fault_start
    rm -rf "$work/postman" && cp -r sim/postman "$work/postman"
    sed -i -E "$4" "$work/postman/$1"
    if cmp -s "sim/postman/$1" "$work/postman/$1"; then
        echo "FAIL: $1, $2: the script changes nothing"
    elif ! build tests/postman/trace/main.c "$work/trace" >"$work/log" 2>&1; then
        echo "FAIL: $1, $2: does not compile"
        tail -n 5 "$work/log"
    else
        SEED=$seed judge "$3" >"$work/log" 2>&1
        status=$?
        case $status in
            0) echo "FAIL: $1, $2: not caught" ;;
            124) echo "FAIL: $1, $2: no verdict in 300 s" ;;
            *)
                echo "$1, $2: caught: $(grep -m 1 -E 'FAIL|expected|not true|Assertion' "$work/log")"
                verdict=caught
                ;;
        esac
    fi
    [ $verdict = caught ] || survived=$((survived + 1))
    fault_result $verdict - "sim/postman/$1: $2" "$3"
}

echo "seed $seed"
declare -A planted
while IFS='|' read -r file what check script; do
    [[ $file == '#'* ]] && continue
    [ -z "${FAULTS_RESULTS:-}${ALL_PLANTED:-}" ] && [ -n "${planted[$file $check]:-}" ] && continue
    planted["$file $check"]=1
    plant "$file" "$what" "$check" "$script"
done < <(grep . tests/postman/planted)
[ $survived = 0 ] && echo "PASS: planted bugs caught"
exit $((survived != 0))
