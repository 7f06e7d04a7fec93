#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Captures of simulated meshes. One packet on an idle mesh: at each port that it passes the strobes are as far apart as it is
# long, and from site to site the head takes one clock. Under load each port has as many heads as terminators. Of a mesh of board
# links the lines are captured, of meshes of postman and csr the wires: a packet is read from them. Refusals.
# usage: test_capture_mesh.sh [CHECK...]
#   CHECK: idle, unicasts, multicasts, wires or words, and nothing else
# environment: SEED (1)
# needs: build/tests/capture/capture_tool
set -uo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
tool=build/tests/capture/capture_tool
seed=${SEED:-1}
# shellcheck source=tests/work.bash
source tests/work.bash

# events FILE: SAMPLE CHANNEL of each edge, by name.
events() {
    "$tool" edges "$1" | awk '$1 == "channel" { name[n++] = $2 } NF == 3 && $1 ~ /^[0-9]+$/ { print $1, name[$2] }'
}

# Ten samples a clock of 12 MHz. A packet of 13 words (a target, 3 of the operator's header, 8 of data, a terminator) passes as
# many links as the mesh's own counter of words says; from head to terminator it takes 12 clocks, or a few more behind a turn; and
# its head is at the next link a clock later, three behind a turn.
idle() {
    local words
    words=$(build/postroad sim "$work/grid.mesh" --reliable 0 --packets 1 --load 0.001 --length 8 --seed "$seed" --quiet --json \
        --capture "$work/idle.sr,rate=120m" | sed -n 's/.*"link_words": *\([0-9]*\).*/\1/p') || return 1
    events "$work/idle.sr" >"$work/events"
    awk -v links=$((words / 13)) -v clock=10 '
        { split($2, part, "."); port = part[1] "." part[2] }
        part[3] == "head" { wrong += heads > 0 && $1 - last != clock && $1 - last != 3 * clock; last = head[port] = $1; heads++ }
        part[3] == "terminator" { ends++; takes = ($1 - head[port]) / clock; wrong += takes < 12 || takes > 18 }
        END { exit !(heads > 0 && heads == links && ends == links && !wrong) }' "$work/events"
}

# load MULTICASTS MOST: of the terminators at each port, so many have no head: lone abort_packets of multicasts.
load() {
    build/postroad sim "$work/grid.mesh" --packets 2000 --load 1 --length 1 --multicast "$1" --seed "$seed" --quiet \
        --capture "$work/busy.vcd,rate=100m" >/dev/null || return 1
    events "$work/busy.vcd" | awk -v most="$2" '
        { split($2, part, "."); count[part[1] "." part[2]] += part[3] == "head" ? -1 : 1; seen++ }
        END { for (port in count) wrong += count[port] < 0 || count[port] > most; exit !(seen > 500 && !wrong) }'
}

unicasts() {
    load 0 0
}

multicasts() {
    load 0.5 10
}

# flits: of each packet on a data wire, from edges with ten samples a clock: the wire, then its flits in hexadecimal (R1).
flits() {
    awk '
        { clock = int(($1 + 5) / 10); last = clock }
        $2 ~ /data/ { seen[$2] = 1; turns[$2, clock] = 1 }
        END {
            for (wire in seen) {
                level = 0; bits = -1; packet = ""
                for (clock = 0; clock <= last + 1; clock++) {
                    if ((wire, clock) in turns) level = !level
                    if (bits >= 0 && bits < 8) {
                        value = 2 * value + level
                        if (++bits == 8) packet = packet sprintf(" %02x", value)
                    }
                    else if (level) { value = 0; bits = 0 }
                    else if (bits == 8) { print wire packet; packet = ""; bits = -1 }
                }
            }
        }'
}

# A packet from corner to corner of 2x2 sites: over the first link with the flag and both addresses, over the second one with the
# last address, the same data behind them; and the site at its end shows busy.
wires() {
    local rest
    printf '0 0 3 2\n' >"$work/one.txt"
    build/postroad sim "$work/postman.mesh" --reliable 0 --traffic "trace:$work/one.txt" --quiet \
        --capture "$work/wires.sr,rate=120m" >/dev/null || return 1
    events "$work/wires.sr" >"$work/events"
    flits <"$work/events" >"$work/flits"
    rest=$(sed -nE 's/^[12]\.(north|east)\.data0 01(( [0-9a-f]{2}){13})$/\2/p' "$work/flits")
    [ "$(wc -l <"$work/flits")" = 2 ] && [ -n "$rest" ] && grep -Eq "^0\.(east|north)\.data0 81 01$rest$" "$work/flits" &&
        grep -Eq ' 3\.(south|west)\.busy0$' "$work/events"
}

# words_of PORT: what the bits of a word show, in hexadecimal, from edges with ten samples a clock: CLOCK WORD, those that are
# not 0.
words_of() {
    awk -v port="$1.word" '
        index($2, port) == 1 { turns[int(($1 + 5) / 10)] = turns[int(($1 + 5) / 10)] " " substr($2, length(port) + 1) }
        { last = int(($1 + 5) / 10) }
        END {
            for (clock = 0; clock <= last; clock++) {
                count = split(turns[clock], bit, " ")
                for (i = 1; i <= count; i++) level[bit[i]] = !level[bit[i]]
                word = 0
                for (i = 0; i < 16; i++) word += level[i] * 2 ^ i
                if (word) printf "%d %04x\n", clock, word
            }
        }'
}

# A packet of 8 data words from site 0 to site 8 of 16, which differ in dimension 3, the last one on its way. The flit is there in
# clock 4 of a slot of 28 clocks: arrived, from site 0, begins and ends. Three slots later, from clock 5 on, the segment follows
# with the same header and, behind it, the count of its words: 3 of the operator's header, 8, and the signature (C2, C6, C10).
# The far end acknowledges. A site of 4 dimensions has too many bits, so links are named.
words() {
    printf '0 0 8 8\n' >"$work/one.txt"
    build/postroad sim hw/mesh/csr-hypercube-4.mesh --reliable 0 --traffic "trace:$work/one.txt" --quiet \
        --capture "$work/words.sr,rate=120m,sites=0.dimension3+8.dimension3+0.dimension0" >/dev/null || return 1
    events "$work/words.sr" >"$work/events"
    words_of 0.dimension3 <"$work/events" | awk '
        NR == 1 { begin = $1 }
        NR <= 2 { wrong += $2 != "0301" }
        NR == 2 { wrong += begin % 28 != 4 || $1 != begin + 85 }
        NR == 3 { wrong += $1 != begin + 86 || $2 != "000c" }
        { last = $1 }
        END { exit !(NR > 3 && last == begin + 98 && !wrong) }' &&
        grep -q ' 8.dimension3.tag0$' "$work/events" && ! grep -q ' 0.dimension0' "$work/events"
}

# refused REASON MESH CAPTURE
refused() {
    build/postroad sim "hw/mesh/$2" --packets 10 --quiet --capture "$3" >/dev/null 2>"$work/errors"
    [ $? = 1 ] || fail "--capture $3: not refused"
    grep -q -- "$1" "$work/errors" || fail "--capture $3: $(cat "$work/errors")"
}

# Three by three sites have 24 ports, 48 channels.
sed 's/^size.*/size = 3x3/' hw/mesh/grid-4x4.mesh >"$work/grid.mesh"
printf '[mesh]\nfabric = postman\ntopology = grid\nsize = 2x2\n' >"$work/postman.mesh"
checks=("$@")
[ $# -gt 0 ] || checks=(idle unicasts multicasts wires words)
for check in "${checks[@]}"; do
    "$check" || fail "$check: $(head -n 20 "$work/events")"
done
[ $# -eq 0 ] || { verdict test_capture_mesh; exit; }
build/postroad sim hw/mesh/grid-2x1.mesh --packets 3 --quiet --capture "$work/lines.sr" >/dev/null || fail 'board links'
[ "$("$tool" edges "$work/lines.sr" | awk '$1 == "channel" { print $2 }' | xargs)" = '0.east 1.west' ] || fail 'names of lines'
[ "$(events "$work/lines.sr" | wc -l)" -gt 100 ] || fail 'lines show nothing'

printf '[mesh]\nfabric=csr\ntopology=hypercube\ndimensions=3\n[csr]\nschedule=serial\nslot_words=19\n' >"$work/words.mesh"
build/postroad sim "$work/words.mesh" --packets 3 --quiet --capture "$work/words.vcd,sites=0" >/dev/null || fail 'lines of words'
[ "$(grep -cE 'var wire 1 [^ ]+ 0\.dimension[0-2]\.(word([0-9]|1[0-5])|tag0) ' "$work/words.vcd")" = 51 ] ||
    fail 'names of bits of words'
refused 'more than 64 channels, expected fewer sites or ports, as sites=10.west: a port has 2 strobes' grid-4x4.mesh "$work/x.sr"
refused 'sites=0.dimension3: a port has 17 wires' csr-hypercube-4.mesh "$work/x.sr,sites=0"
refused 'sites=0.dimension4: expected ports of this mesh, each once, as 0.dimension0' csr-hypercube-4.mesh \
    "$work/x.sr,sites=0.dimension4"
refused 'sites=0+0.east: expected ports of this mesh, each once' grid-4x4.mesh "$work/x.sr,sites=0+0.east"
refused 'sites=1.east+1.east: expected ports' grid-4x4.mesh "$work/x.sr,sites=1.east+1.east"
refused 'sites=0.west: expected ports' grid-4x4.mesh "$work/x.sr,sites=0.west"
refused 'sites=1.east+: expected' grid-4x4.mesh "$work/x.sr,sites=1.east+"
refused 'sites=16: expected sites of this mesh' grid-4x4.mesh "$work/x.sr,sites=16"
refused 'sites=1+1: expected sites of this mesh, each once' grid-4x4.mesh "$work/x.sr,sites=1+1"
refused 'sites=1+: expected' grid-4x4.mesh "$work/x.sr,sites=1+"
refused 'expected a file with the ending' grid-4x4.mesh "$work/x.csv"
[ ! -e "$work/x.sr" ] || fail 'a refused capture leaves a file'
verdict test_capture_mesh
