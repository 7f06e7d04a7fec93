#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Long captures are written and read in little memory: the largest size of the process stays below 64 MB. The files are .sr of 160
# million samples, VCD, and CSV. LARGE=1 makes them six times as long (`make capture-large`), and prints the times.
# usage: test_capture_memory.sh
# needs only: build/tests/capture/capture_tool
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

tool=build/tests/capture/capture_tool
limit=64
scale=$((${LARGE:-0} ? 6 : 1))
# shellcheck source=tests/work.bash
source tests/work.bash

# count FILE LEAST: it has so many edges at least, and they are read in little memory.
count() {
    local start=$EPOCHREALTIME text edges megabytes
    text=$("$tool" count "$1") || { fail "$1 cannot be read"; return; }
    edges=${text%% *}
    megabytes=${text##*, }
    megabytes=${megabytes%% *}
    echo "${1##*/}: $(stat -c %s "$1") bytes, $text, $(((${EPOCHREALTIME/./} - ${start/./}) / 1000)) ms"
    [ "$edges" -ge "$2" ] || fail "$1: $edges edges, expected $2"
    [ "$megabytes" -lt "$limit" ] || fail "$1: $megabytes MB, expected less than $limit"
}

# write FILE RATE CHANNELS EDGES: within the same memory, and some for the program.
write() {
    (ulimit -v $((limit << 10)) && exec "$tool" write "$work/$1" "$2" "$3" "$4" 0 0 1) || fail "$1 cannot be written in $limit MB"
}

# 2 us from edge to edge at most, 1 us in the mean: 160 samples an edge and channel.
write quiet.sr 160000000 2 $((1000000 * scale))
count "$work/quiet.sr" $((1900000 * scale))
write busy.sr 24000000 16 $((50000 * scale))
count "$work/busy.sr" $((700000 * scale))
write lines.vcd 500000000 8 $((500000 * scale))
count "$work/lines.vcd" $((3900000 * scale))
"$tool" write "$work/rows.sr" 24000000 4 $((100000 * scale)) 0 0 1
{ printf '; Samplerate: 24 MHz\nA,B,C,D\n' && "$tool" levels "$work/rows.sr"; } >"$work/rows.csv"
count "$work/rows.csv" $((380000 * scale))
verdict test_capture_memory
