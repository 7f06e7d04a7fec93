#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 300 s
# `postroad sim --traffic trace:FILE`: the packets of a trace, no others, each exactly once, those that wait behind those they
# wait for; under faults too; on cores; and what is refused.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
mesh=hw/mesh/grid-4x4.mesh
trace=$work/trace

# latency KEY: of all deliveries.
latency() {
    value "$1" latency_clocks
}

run_trace() {
    local code=$1
    shift
    run "$code" "$mesh" --quiet --json --traffic "trace:$trace" "$@"
}

# Acknowledgements would lengthen packets, so it is the raw service first. A packet alone: its latency is the same wherever it
# stands in time.
echo '1000 0 15 8' >"$trace"
run_trace 0 --reliable 0
expect_exactly_once
expect 1 packets
expect trace traffic
expect "$trace" trace
expect null load
alone=$(latency max)
echo '123456 0 15 8' >"$trace"
run_trace 0 --reliable 0
expect "$alone" max latency_clocks

# A chain from site to site: the last packet is sent when all others have arrived, so the run takes their latencies together.
for ((i = 0; i < 50; i++)); do echo "0 $((i % 2 * 15)) $(((i + 1) % 2 * 15)) 8 after $((i - 1))"; done \
    | sed '1s/ after.*//' >"$trace"
run_trace 0 --reliable 0
expect_exactly_once
expect "$alone" min latency_clocks
[ "$(value clocks)" -ge $((50 * alone)) ] || fail "a chain of 50 packets took $(value clocks) clocks, one takes $alone"
run_trace 0 --reliable 0 --packets 20
expect 20 packets
run 0 "$mesh" --quiet --json --reliable 0 --traffic "trace:$trace,independent"
[ "$(value clocks)" -lt $((50 * alone)) ] || fail "50 independent packets took $(value clocks) clocks, one takes $alone"

# Random packets, a third of them multicasts, each waits for one to three earlier ones.
awk -v seed="$seed" 'BEGIN {
    srand(seed)
    for (i = 0; i < 3000; i++) {
        a = int(rand() * 16)
        targets = rand() < 0.3 ? a "," (a + 3) % 16 "," (a + 7) % 16 : a
        line = int(i * 2) " " int(rand() * 16) " " targets " " int(rand() * 20)
        if (i) line = line " after " int(rand() * i)
        if (i > 2 && rand() < 0.3) line = line "," i - 1 "," i - 2
        print line
    }
}' >"$trace"
run_trace 0
expect_exactly_once
expect 3000 packets
clocks=$(value clocks)
bzip2 <"$trace" >"$work/random.bz2"
run 0 "$mesh" --quiet --json --traffic "trace:$work/random.bz2"
expect "$clocks" clocks
run_trace 0 --reliable 0 --pool 512
expect_exactly_once
run_trace 0 --fault corrupt:0.0003
expect_exactly_once
run_trace 4 --fault reset:5:3000
expect 3000 packets
for key in lost duplicated corrupted stray; do expect 0 $key; done
run_trace 4 --fault stop:5:3000
expect partial result
expect 3000 packets
for key in lost duplicated corrupted stray; do expect 0 $key; done
run_trace 0 --nodes core --packets 150
expect_exactly_once

# What waits for a packet that is lost is never sent, and the run ends.
run_trace 3 --reliable 0 --pool 512 --fault corrupt:0.001
[ "$(value packets)" -lt 3000 ] || fail "packets that wait for a lost one were sent"

refuse() {
    local text=$1
    shift
    run 1 "$@" "$mesh"
    grep -q -- "$text" "$err" || fail "sim $*: message '$(cat "$err")', expected '$text'"
    [ ! -s "$out" ] || fail "sim $*: prints on stdout"
}

refuse 'or trace:FILE' --traffic trace
refuse 'or trace:FILE' --traffic trace:
refuse 'or trace:FILE' --traffic "trace:$trace,region=x"
refuse 'or trace:FILE' --traffic "trace:$trace,open"
refuse 'No such file' --traffic "trace:$work/none"
refuse 'Is a directory' --traffic "trace:$work"
mesh=hw/mesh/grid-2x2.mesh refuse ', expected the number of a site of this mesh' --traffic "trace:$trace"
refuse 'expected no --load' --traffic "trace:$trace" --load 0.1:0.3:0.1
refuse 'the packets of the trace alone' --traffic "trace:$trace" --multicast 0.3
finish
