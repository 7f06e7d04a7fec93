#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Bugs planted in the simulator `functional` and in the transport of `--ranks` (tests/functional/planted): test_idle_mesh,
# test_january_clocks, test_agreement, test_search, test_variants, test_ranks or test_process_ranks must find each. One of each
# file, and under `make faults` (or with ALL_PLANTED=1) all. Last, a change that must change nothing: the sites
# of a clock are visited in the other order.
# time limit: 900 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
survived=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree"
includes="-I$work/tree -Ihw/protocol -Ifirmware -Ibuild/firmware/include -Isim -Ihost-tools -Itests"
libraries="-ledit -ludev -luv -lsodium -lcjson -linih -lzip -lminizip -lz -lbz2 -lm -ldl"

# build OUTPUT SOURCE...: a program on the model in $work/tree/functional; its objects come before those of libsim.a.
build() {
    # shellcheck disable=SC2086  # words
    "${CC:-gcc}" -std=c11 -O1 -w $includes -o "$1" "${@:2}" tests/check.c "$work"/tree/functional/*.c build/libcli.a \
        build/libpostroad.a build/libsim.a build/libfirmware.a $libraries
}

# judge CHECK: 0 if it passes with the model in $work/tree.
judge() {
    if [ "$1" = search ]; then
        build "$work/search" tests/deadlock_search/*.c && (ulimit -c 0; exec timeout 60 tests/functional/test_search.sh \
            "$work/search")
    elif [ "$1" = variants ]; then
        build "$work/search" tests/deadlock_search/*.c && build "$work/postroad" host-tools/postroad/main.c &&
            (ulimit -c 0; exec timeout 90 tests/functional/test_variants.sh "$work/postroad" "$work/search")
    elif [ "$1" = idle ]; then
        build "$work/test" tests/functional/test_idle_mesh.c && (ulimit -c 0; exec timeout 60 "$work/test")
    elif [ "$1" = clocks ]; then
        build "$work/test" tests/functional/test_january_clocks.c && (ulimit -c 0; exec timeout 60 "$work/test")
    elif [ "$1" = ranks ]; then
        build "$work/postroad" host-tools/postroad/main.c && (ulimit -c 0; exec timeout 120 \
            tests/functional/test_ranks.sh "$work/postroad" quick </dev/null) # mpirun would read the list of bugs
    elif [ "$1" = results ] || [ "$1" = ends ]; then
        build "$work/postroad" host-tools/postroad/main.c && (ulimit -c 0; exec timeout 120 \
            tests/functional/test_process_ranks.sh "$work/postroad" "$1")
    else
        build "$work/postroad" host-tools/postroad/main.c && (ulimit -c 0; exec timeout 120 \
            tests/functional/test_agreement.sh "$work/postroad")
    fi
}

copy() {
    rm -rf "$work/tree/functional"
    cp -r sim/functional "$work/tree/functional"
    cp sim/ranks/process_transport.c "$work/tree/functional"
}

# plant FILE WHAT CHECK SCRIPT
plant() {
    local verdict=MISSED source=sim/functional/$1
    [ -e "$source" ] || source=sim/ranks/$1
    fault_start
    copy
    sed -i -E "$4" "$work/tree/functional/$1"
    if cmp -s "$source" "$work/tree/functional/$1"; then
        echo "FAIL: $1, $2: the script changes nothing"
    elif ! build "$work/postroad" host-tools/postroad/main.c >"$work/log" 2>&1; then
        echo "FAIL: $1, $2: does not compile: $(grep -m 1 error "$work/log")"
    elif judge "$3" >"$work/log" 2>&1; then
        echo "FAIL: $1, $2: not caught"
    else
        echo "$1, $2: caught: $(grep -m 1 -E 'FAIL|expected|Aborted' "$work/log" | cut -c 1-150)"
        verdict=caught
    fi
    [ $verdict = caught ] || survived=$((survived + 1))
    fault_result $verdict - "$source: $2" "$3"
}

# result POSTROAD: a run's figures, but for those of the processor's time.
result() {
    "$1" sim hw/mesh/grid-4x4.mesh --engine functional --load 0.2 --multicast 0.5 --packets 3000 --quiet --json |
        sed -E 's/"(cpu_seconds|node_clocks_per_cpu_second|wall_seconds|seconds)":[0-9.]*,?//g'
}

visit_backwards() {
    copy
    sed -i -E -f tests/functional/backwards.sed "$work/tree/functional/functional_engine.c"
    if cmp -s sim/functional/functional_engine.c "$work/tree/functional/functional_engine.c" ||
        ! build "$work/postroad" host-tools/postroad/main.c >"$work/log" 2>&1; then
        echo "FAIL: visits in the other order: not built"
    elif [ "$(result build/postroad)" != "$(result "$work/postroad")" ]; then
        echo "FAIL: visits in the other order: another run"
    else
        echo "visits in the other order: the same run"
        return
    fi
    survived=$((survived + 1))
}

declare -A planted
while IFS='|' read -r file what check script; do
    [[ $file == '#'* ]] && continue
    [ -z "${FAULTS_RESULTS:-}${ALL_PLANTED:-}" ] && [ -n "${planted[$file]:-}" ] && continue
    planted[$file]=1
    plant "$file" "$what" "$check" "$script"
done < <(grep . tests/functional/planted)
visit_backwards
[ $survived = 0 ] && echo "PASS: planted bugs caught"
exit $((survived != 0))
