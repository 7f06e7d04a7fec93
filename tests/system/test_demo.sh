#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The demo's tour, with fewer packets: every step works, its text fits a terminal, the figures and pictures are there, a second
# demo keeps those of the first, the sweep passes saturation on every fabric, README's picture is that of the sweep, and nothing
# is left behind when it is interrupted. LONG: more packets, each kind of node with each fabric, and more moments of an interrupt.
# needs: build/figure4
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/tools.bash

DEMO_FOLDER=$(mktemp -d)
export DEMO_FOLDER
trap 'rm -rf "$DEMO_FOLDER"' EXIT
demos=0
export SITE_PACKETS=40 FABRIC_PACKETS=${LONG:+2000} FAULT_PACKETS=${LONG:+4000}
FABRIC_PACKETS=${FABRIC_PACKETS:-1000} FAULT_PACKETS=${FAULT_PACKETS:-2000}
sweep_packets=${LONG:+3000} # but on the fabric of README's picture
sweep_packets=${sweep_packets:-1000}

# The sweep begins where a mesh carries every load, and ends beyond that.
check_sweep() {
    local verdicts
    verdicts=$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        { printf "%s%s ", $column["saturated"], $column["steady"] }' "$DEMO_FOLDER/latest/sweep.csv")
    [[ $verdicts =~ ^(01 ){3,}.*(1.? ){2,}$ ]] ||
        { echo "FAIL the sweep does not pass saturation: saturated and steady are $verdicts"; exit 1; }
}

# README's picture is that of the sweep in $output, its figures too.
check_picture() {
    [[ $output == *"$(sed -n '/^```/,/^```/{/^```/d;p}' tests/bench/results/sweep.md)"* ]] &&
        cmp tests/bench/results/sweep-latency.svg "$DEMO_FOLDER/latest/sweep-latency.svg" ||
        { echo "FAIL README's picture is not that of today's sweep; make picture writes it anew"; exit 1; }
}

for nodes in ${LONG:+qemu} core; do
    output=$(NODES=$nodes host-tools/demo/demo 2>&1) ||
        { echo "$output"; exit 1; }
    echo "$output"
    for text in '16 of 16 sites answer' '24 of 24 links are good' 'the router aborts' '4 of 4 deliveries, each once' \
        'every packet arrived exactly once' 'site 5: no acknowledgement' 'site 0 has given up' ' 0 lost, 0 twice' \
        sweep-latency.svg site-links.svg "Pictures, in $DEMO_FOLDER/$((demos + 1)) "; do
        grep -qF "$text" <<<"$output" || { echo "the demo on $nodes nodes does not say '$text'"; exit 1; }
    done
    wide=$(grep -v -e "$DEMO_FOLDER" <<<"$output" | grep -E '.{81}') || true
    [ -z "$wide" ] || { echo "wider than 80 columns: $wide"; exit 1; }
    demos=$((demos + 1))
    [ "$(readlink "$DEMO_FOLDER/latest")" = $demos ] || { echo "latest leads to $(readlink "$DEMO_FOLDER/latest")"; exit 1; }
    [ "$(grep -c 'hello, all fifteen' "$DEMO_FOLDER/$demos/multicast.txt")" -eq 15 ]
    [ "$(grep -o '^site [0-9]*' "$DEMO_FOLDER/$demos/multicast.txt" | sort -u | wc -l)" -eq 15 ]
    check_sweep
    [ "${SEED:-1}" != 1 ] || check_picture
done
# Another fabric: no multicasts, and no step with the deadlock. The heading of a hypercube's map has more than 80 columns: on a
# terminal it is wrapped.
lines_demo() {
    local output text
    output=$(FABRIC=$1 NODES=$2 SWEEP_PACKETS=$sweep_packets host-tools/demo/demo 2>&1) ||
        { echo "$output"; exit 1; }
    for text in "$3 of $3 links are good" 'this fabric has no multicast' 'every packet arrived exactly once' \
        ' 0 lost, 0 twice'; do
        grep -qF "$text" <<<"$output" || { echo "$output"; echo "the demo on $1 does not say '$text'"; exit 1; }
    done
    [ "$(grep -c 'hello, all fifteen' "$DEMO_FOLDER/latest/multicast.txt")" -eq 15 ] || exit 1
    check_sweep
    if grep -q 'Figure 4' <<<"$output" ||
        grep -v -e "$DEMO_FOLDER" -e ', seen from site 0$' <<<"$output" | grep -E '.{81}'; then exit 1; fi
}
lines_demo postman qemu 24
lines_demo csr native 32
[ -z "${LONG:-}" ] || {
    lines_demo postman-torus native 32
    lines_demo csr core 32
    lines_demo wormlan core 32
    lines_demo wormlan qemu 32
}
for demo in 1 2; do
    for picture in sweep-latency sweep-histogram sweep-links fabric-histogram fabric-links site-histogram site-links; do
        grep -q '</svg>' "$DEMO_FOLDER/$demo/$picture.svg" || { echo "$demo: $picture is not a whole SVG"; exit 1; }
    done
done
if output=$(FABRIC=omega host-tools/demo/demo 2>&1); then exit 1; fi
grep -q 'expected cutthrough, january, postman, postman-torus, csr or wormlan' <<<"$output"

# Interrupted anywhere: exit status 130, no mesh left. The runner looks for processes.
for seconds in 0.3 ${LONG:+1 2 8} 4; do
    nodes=$([ "$nodes" = core ] && echo qemu || echo core)
    NODES=$nodes SITE_PACKETS=100000 setsid env --default-signal=INT host-tools/demo/demo >/dev/null 2>&1 &
    demo=$!
    sleep "$seconds"
    kill -INT -- "-$demo"
    status=0
    wait "$demo" || status=$?
    [ "$status" -eq 130 ] || { echo "demo interrupted after $seconds s: exit status $status, expected 130"; exit 1; }
done
