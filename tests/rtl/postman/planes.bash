# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# For the tests of planes: runs of tests/rtl/postman/bench.cpp. `source tests/rtl/postman/planes.bash`, in the tree's folder.
source tests/tools.bash
bench=build/tests/rtl/postman/bench
seed=${SEED:-1}
turn=0

# run charts CHARTS | run MESH OPTIONS KIND SEED PACKETS: ends the test if the bench finds an error.
run() {
    local output
    if ! output=$(timeout 100 $bench "$@" 2>&1); then
        echo "$output"
        echo "FAIL; replay: $bench $*"
        exit 1
    fi
    echo "$*: $(head -n 1 <<<"$output")"
}

# traffic MESH OPTIONS PACKETS: of every kind with LONG; else of one, the next of those from SEED on.
traffic() {
    local all=(random permutation hotspot hostile) kind
    [ -n "${LONG:-}" ] || all=("${all[(seed + turn) % 4]}")
    turn=$((turn + 1))
    for kind in "${all[@]}"; do
        run "$1" "$2" "$kind" "$seed" "$3"
    done
}
