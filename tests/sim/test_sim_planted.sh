#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 600 s
# `postroad sim` must notice a broken fabric, and say what is wrong with it: some of the bugs of tests/faults are planted
# in a copy of the tree, built into a site, and put under traffic.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
tree=$work/tree

# plant BUG: a fresh copy of what a site is built from, with that bug in it.
plant() {
    rm -rf "$tree/hw" "$tree/build/sim/fabric-cutthrough-16-4-32-64"
    cp -r hw "$tree/"
    fault_plant "tests/faults/$1.sed" "$tree"
}

# caught BUG CODE RESULT ARGUMENTS...: the run ends with that exit code and result.
caught() {
    local bug=$1 code=$2 result=$3 before=$failures
    shift 3
    fault_start
    plant "$bug" || { fail "$bug is not planted"; return; }
    run "$code" hw/mesh/grid-4x4.mesh --reliable 0 --quiet --json --packets 5000 --pool 512 "$@"
    expect "$result" result
    planted_result "$before" "$(sed -n 's/^# rule: //p' "tests/faults/$bug.sed")" "$bug" "postroad sim"
    printf '%-20s %-10s %s\n' "$bug" "$(value result)" "$(value diagnosis)"
}

mkdir -p "$tree/build/sim"
cp -r Makefile sim firmware host-tools "$tree/"
mkdir "$tree/tests" && cp tests/rules.mk "$tree/tests/"
cp build/postroad "$tree/build/"
cp -r build/sim/verilator "$tree/build/sim/"
postroad=$tree/build/postroad

caught queue_drops 3 wrong --load 0.5
caught always_marked 3 wrong --load 0.3 --multicast 0.5
caught target_info_everywhere 3 wrong --load 0.3 --multicast 0.5 --info 2
caught never_times_out 5 hung --load 0.3 --multicast 0.5
finish
