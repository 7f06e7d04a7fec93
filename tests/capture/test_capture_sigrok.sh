#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Captures of the virtual analyser as sigrok-cli reads them, and what sigrok-cli writes as our readers read it: the same levels in
# every sample. Likewise a VCD that Icarus writes.
# usage: test_capture_sigrok.sh
# environment: SEED (1) chooses the captures
# needs only: build/tests/capture/capture_tool
set -uo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1

tool=$PWD/build/tests/capture/capture_tool
seed=${SEED:-1}
# shellcheck source=tests/work.bash
source tests/work.bash

# Channels and edges as our reader has them, without the rate and the step, which are the file's.
edges() {
    "$tool" edges "$1" | sed -e '/^rate /d' -e '/^step /d'
}

same() {
    cmp -s "$work/expected" "$work/got" || {
        fail "$1"
        diff "$work/expected" "$work/got" | head -n 5
    }
}

# written RATE CHANNELS: one of ours, through sigrok-cli.
written() {
    local rate=$1 channels=$2 form
    "$tool" write "$work/ours.sr" "$rate" "$channels" 60 37 200 "$seed" || fail "cannot write $rate $channels"
    "$tool" write "$work/ours.vcd" "$rate" "$channels" 60 37 200 "$seed" || fail "cannot write $rate $channels"
    "$tool" levels "$work/ours.sr" >"$work/expected"
    sigrok-cli -i "$work/ours.sr" -O csv:header=false:label=off >"$work/got" 2>"$work/errors"
    same "ours.sr, $rate samples per second, $channels channels: sigrok-cli reads other levels"
    [ ! -s "$work/errors" ] || fail "ours.sr: $(cat "$work/errors")"
    edges "$work/ours.sr" >"$work/expected"
    for form in vcd csv csv:time=true csv:time=true:dedup=true csv:time=true:label=channel; do
        sigrok-cli -i "$work/ours.sr" -O "$form" >"$work/theirs" 2>"$work/errors"
        by_samples "$work/theirs" "$rate" >"$work/got"
        same "$form of sigrok-cli, $rate samples per second: our reader reads other edges"
    done
    by_samples "$work/ours.vcd" "$rate" >"$work/got"
    same "ours.vcd, $rate samples per second: other edges than ours.sr"
}

# by_samples FILE RATE: the edges; the times of a VCD, which are in its unit, as numbers of samples.
by_samples() {
    local unit
    unit=$(sed -n 's/^\$timescale \(.*\) \$end/\1/p' "$1")
    edges "$1" | awk -v rate="$2" -v text="$unit" '
        BEGIN { split(text, unit, " "); per["ns"] = 1e9; per["ps"] = 1e12 }
        /^channel/ || !text { print; next }
        { printf "%.0f %s %s\n", $1 * rate * unit[1] / per[unit[2]], $2, $3 }'
}

# sigrok-cli reads our VCD: its unit of time becomes its sample.
vcd_read() {
    "$tool" write "$work/ours.vcd" 24000000 3 20 0 0 "$seed" || fail 'cannot write a VCD'
    sigrok-cli -i "$work/ours.vcd" -o "$work/theirs.sr" 2>"$work/errors" ||
        fail "sigrok-cli reads no VCD of ours: $(cat "$work/errors")"
    edges "$work/ours.vcd" >"$work/expected"
    edges "$work/theirs.sr" >"$work/got"
    same 'ours.vcd: sigrok-cli reads other edges'
}

# sigrok's own file, of its demo device, with some of its channels only.
demo() {
    sigrok-cli -d demo --config samplerate=10m --samples 3000 -C D1,D4,D6 -o "$work/demo.sr" 2>"$work/errors" ||
        fail "the demo device: $(cat "$work/errors")"
    "$tool" levels "$work/demo.sr" >"$work/got"
    sigrok-cli -i "$work/demo.sr" -O csv:header=false:label=off >"$work/expected"
    same 'a capture of the demo device: our reader reads other levels'
}

icarus() {
    cat >"$work/bench.v" <<'V'
`timescale 1ns / 1ps
module bench;
    reg line = 0;
    reg [7:0] bus = 0;
    initial begin
        $dumpfile("icarus.vcd");
        $dumpvars(0, bench);
        #5.5 line = 1; bus = 8'h55;
        #10 line = 0;
        #0.25 line = 1'bx; bus = 8'haa;
        #4 line = 1;
        #1 $finish;
    end
endmodule
V
    (cd "$work" && iverilog -o bench.vvp bench.v && vvp bench.vvp >/dev/null) || fail 'Icarus'
    printf 'channel line 0\n5500 0 1\n15500 0 0\n19750 0 1\n' >"$work/expected"
    edges "$work/icarus.vcd" >"$work/got"
    same 'a VCD of Icarus'
}

for rate in 24000000 100000000 400000000; do
    written "$rate" 3
done
written 500000000 9
vcd_read
demo
icarus
verdict test_capture_sigrok
