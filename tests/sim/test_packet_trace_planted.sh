#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The test of packet traces must notice bugs: one line of a copy of a source is changed at a time, and the test has to fail.
# needs: build/libsim.a build/libfirmware.a build/tests/libraries
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash

build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
export SEED=1 FUZZ_RUNS=100

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

compile() {
    ${CC:-gcc} -std=c11 -O1 -Isim -Itests -Ihw/protocol -Ifirmware -I"$build/firmware/include" -c -o "$1" "$2"
}

# passes [OBJECT]: the test with this object in the place of the archive's.
passes() {
    ${CC:-gcc} -o "$work/test" "$work"/{test_packet_trace,check,mutate_text}.o "$@" "$build/libsim.a" "$build/libfirmware.a" \
        "@$build/tests/libraries" && timeout 100 "$work/test" >"$work/output" 2>&1
}

# caught WHAT SOURCE SCRIPT: with that change of the source the test fails.
caught() {
    local what=$1 source=sim/workload/$2.c
    fault_start
    sed -E "$3" "$source" >"$work/$2.c"
    if cmp -s "$source" "$work/$2.c"; then
        fail "$what: the script changes nothing"
    elif ! compile "$work/$2.o" "$work/$2.c"; then
        fail "$what: does not compile"
    elif passes "$work/$2.o"; then
        fail "$what: the test passes"
        fault_result MISSED - "packet trace: $what" test_packet_trace
    else
        fault_result caught - "packet trace: $what" test_packet_trace
    fi
}

compile "$work/test_packet_trace.o" tests/sim/test_packet_trace.c
for name in check mutate_text; do
    compile "$work/$name.o" "tests/$name.c"
done
passes || fail "the test does not pass as it is: $(head -n 5 "$work/output")"

caught 'packets wait for none' trace_player 's/player->awaited\[i\] = trace->packets\[i\].awaited;/player->awaited[i] = 0;/'
caught 'sent in the clock of the arrival' trace_player 's/= clock \+ 1;/= clock;/'
caught 'sent before its own clock' trace_player 's/if \(player->clocks\[dependent\] < clock \+ 1\)/if (1)/'
caught 'the later packet first' trace_player 's/clocks\[b\] && a < b/clocks[b] \&\& a > b/'
caught 'only the first of those that wait' packet_trace 's/before->first_dependent \+ before->dependents\+\+/before->first_dependent/'
caught 'waits for itself' trace_builder 's/before >= after/before > after/'
caught 'one word too many' trace_builder 's/max_packet - used\)/max_packet - used + 1)/'
caught 'a target twice' trace_builder 's/== site\)/== site + 1)/'
caught 'a region later' netrace 's/table \+ wanted \* NETRACE_REGION/table/'
caught 'ids by their order' netrace 's/return first->id < second->id/return first->packet < second->packet/'
caught 'cycles as they are' netrace 's/\.clock -= first/.clock -= 0/'
caught 'words of 32 bits always' netrace 's/reading->mesh->word_width \/ 8/32 \/ 8/'
caught 'half a packet is an end' netrace 's/if \(length == 0\)/if (length < sizeof packet)/'
caught 'comments are read' trace_text "s/comment \\|= byte == '#'/comment |= byte == ';'/"
caught 'what follows is ignored' trace_text 's/return !\*word \|\|/return true ||/'
caught 'the second stream is lost' trace_bytes 's/^    open_stream\(bytes, begun, length\);//'
caught 'a damaged stream is an end' trace_bytes 's/bytes->failed = "its compressed.*/bytes->compressed = NULL;/'
echo
[ "$failures" -eq 0 ] && echo PASS
exit "$((failures > 0))"
