#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The tests of pictures must notice bugs: one line of a copy of a source is changed at a time, and a test has to fail.
# usage: test_picture_planted.sh
# needs: build/libpostman.a build/libsim.a postman-picture
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash

build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
# The fuzzer finds each bug that is planted for it in fewer runs.
export SEED=1 TMPDIR=$work FUZZ_RUNS=1000

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

compile() {
    ${CC:-gcc} -std=c11 -O1 -Isim -Itests -c -o "$1" "$2"
}

# link TEST: what it runs, the program of that name in $work or the one that draws, of the objects there.
link() {
    local name=${1%% *}
    [ "$name" != test_picture_file ] || name=main
    ${CC:-gcc} -o "$work/$name" "$work"/{"$name",trace,line,picture,check,mutate_text,trace_file}.o "$build"/lib{postman,sim}.a
}

passes() {
    if [ "${1%% *}" = test_picture_file ]; then
        PICTURE=$work/main timeout 100 tests/postman/test_picture_file.sh "${1#* }"
    else
        timeout 100 "$work/$1"
    fi >"$work/output" 2>&1
}

# caught WHAT TEST SOURCE SCRIPT: with that change of the source the test fails.
caught() {
    local what=$1 test=$2 source=tests/postman/picture/$3.c script=$4
    fault_start
    sed -E "$script" "$source" >"$work/$3.c"
    if cmp -s "$source" "$work/$3.c"; then
        fail "$what: the script changes nothing"
    elif ! compile "$work/$3.o" "$work/$3.c" || ! link "$test"; then
        fail "$what: does not compile"
    elif passes "$test"; then
        fail "$what: $test passes"
        fault_result MISSED - "picture: $what" "$test"
    else
        fault_result caught - "picture: $what" "$test"
        printf '%s: %s\n' "$what" "$(grep -aE -m 1 'FAIL|failed|wrong|expected|Error' "$work/output" | cut -c 1-100)"
    fi
    compile "$work/$3.o" "$source"
}

for name in test_picture test_picture_fuzz trace_file picture/trace picture/line picture/picture picture/main; do
    compile "$work/${name#*/}.o" "tests/postman/$name.c"
done
for name in check mutate_text; do
    compile "$work/$name.o" "tests/$name.c"
done
for name in test_picture test_picture_fuzz 'test_picture_file shown' 'test_picture_file cut' 'test_picture_file refusals'; do
    { link "$name" && passes "$name"; } || fail "$name does not pass as it is: $(head -n 5 "$work/output")"
done

caught 'a dead flit is a packet' test_picture line 's/ended \? LINE_DEAD : LINE_OPEN/LINE_PACKET/'
caught 'a packet of two flits is dead' test_picture line 's/packet->bits > flit \?/packet->bits > 2 * flit ?/'
caught 'an address flit that is cut is dead' 'test_picture_file cut' line 's/ended \? LINE_DEAD : LINE_OPEN/LINE_DEAD/'
caught 'a packet ends at its first 0' test_picture line 's/clock \+= flit;/clock++;/'
caught 'a flit without its header bit' test_picture line 's/flit = trace->flit_bits \+ 1;/flit = trace->flit_bits;/'
caught 'a packet ends where it begins anew' test_picture line 's/clock = packet.first \+ packet.bits\)/clock = packet.first + 2 * packet.bits)/'
caught 'the node before receives' test_picture line 's/receives_by\(trace, node - 1, POSTMAN_X, x,/receives_by(trace, node - 1, POSTMAN_X, x - 1,/'
caught 'rows are columns' test_picture line 's/POSTMAN_Y, y, states/POSTMAN_Y, x, states/'
caught 'a flit that is cut arrives' test_picture_fuzz line 's/packet.kind == LINE_PACKET && //'
caught 'the address flit is received' test_picture line 's/packet.first \+ trace->flit_bits \+ 1, 1, packet.bits - trace->flit_bits - 1/packet.first, 1, packet.bits/'
caught 'a bit is drawn as its opposite' test_picture picture 's/"d0", "d1"/"d1", "d0"/'
caught 'busy of the other machine' 'test_picture_file shown' picture 's/trace_busy\(trace, clock, node, line\)/trace_busy(trace, clock, node, POSTMAN_Y - line)/'
caught 'lines change places' 'test_picture_file shown' picture 's/x \+ \(line == POSTMAN_X \? along/x + (line == POSTMAN_Y ? along/;s/y \+ \(line == POSTMAN_X \? beside/y + (line == POSTMAN_Y ? beside/'
caught 'a frame is the one before' test_picture picture 's/\(unsigned\)picture->frame;/(unsigned)(picture->frame > 0 ? picture->frame - 1 : 0);/'
caught 'busy is left out' test_picture picture 's/busy_classes\[\] = \{"i", "b"\}/busy_classes[] = {"i", "i"}/'
caught 'the animation is a clock late' 'test_picture_file shown' picture 's/\(double\)clock \/ trace->clocks/(clock ? clock + 1.0 : 0) \/ trace->clocks/'
caught 'the animation lacks the return to idle' 'test_picture_file shown' picture 's/return clock == 0 \|\| /return clock == 0 || track->states[clock] \&\& /'
caught 'the animation names no times' 'test_picture_file shown' picture 's/keyTimes=/times=/'
caught 'the legend mixes kinds up' 'test_picture_file shown' picture 's/\{LINE_DEAD \+ 1, LINE_DEAD\}/{LINE_PACKET + 1, LINE_PACKET}/'
caught 'a text has a bare <' 'test_picture_file shown' picture 's/of a flit that the end/of a <flit> \& that the end/'
caught 'a line that is too long' test_picture_fuzz trace 's/if \(character != .*EOF\) \{/if (false) {/'
caught 'a line that is too short' test_picture_fuzz trace "s/^    for \(unsigned node = 0; node < nodes; node\+\+/    for (unsigned node = 0; node < nodes \&\& character != '\\\\n'; node++/"
caught 'any character is a digit' test_picture_fuzz trace 's/\(int\)\(digit - digits\) : -1/(int)(digit - digits) : 0/'
caught 'the end of a text is a digit' test_picture_fuzz trace 's/character > 0 \?/character >= 0 ?/'
caught 'lines are counted from 0' test_picture_fuzz trace 's/trace->clocks \+ 1, reason/trace->clocks, reason/'
caught 'nothing is a trace' 'test_picture_file refusals' trace 's/ferror\(file\) \|\| trace->clocks == 0/ferror(file)/'
caught 'a clock more than there is room for' 'test_picture_file refusals' trace 's/trace->clocks == TRACE_MOST_CLOCKS/trace->clocks > TRACE_MOST_CLOCKS/'
caught 'a frame behind the last' 'test_picture_file refusals' main 's/trace.clocks - 1/trace.clocks/'
caught 'a mesh without columns' 'test_picture_file refusals' main 's/arguments\[2\], 1, most/arguments[2], 0, most/'
caught 'a letter ends a number' 'test_picture_file refusals' main 's/strspn\(text, "0123456789"\) == strlen\(text\)/strspn(text, "0123456789")/'
caught 'a failed write is no matter' 'test_picture_file refusals' main 's/output_file_close\(.*\) == 0/output_file_close(\&output, error, sizeof error) <= 0/'
[ $failures -eq 0 ] && echo 'test_picture_planted: PASS'
[ $failures -eq 0 ]
