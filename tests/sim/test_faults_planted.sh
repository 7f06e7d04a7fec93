#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 900 s
# The tests of the faults must notice a broken filter: one line of a copy of sim/engine/link_fault_model.c is changed at a time, and
# test_link_filter has to fail on it.
# needs: build/libsim.a build/libfirmware.a build/tests/libraries
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# compile SOURCE: test_link_filter with this filter.
compile() {
    ${CC:-gcc} -std=c11 -O1 -Ihw/protocol -Ifirmware -Ibuild/firmware/include -Isim -Ihost-tools -Itests \
        -o "$work/test" tests/sim/test_link_filter.c \
        tests/sim/engine_test.c tests/check.c "$1" "$build"/libsim.a "$build"/libfirmware.a \
        "@$build/tests/libraries" -Wl,--allow-multiple-definition
}

# caught WHAT SCRIPT: the bug is there, and the test says so.
caught() {
    local verdict=MISSED
    fault_start
    sed -E "$2" sim/engine/link_fault_model.c >"$work/link_fault_model.c"
    if cmp -s sim/engine/link_fault_model.c "$work/link_fault_model.c"; then
        echo "FAIL $1: the script changes nothing"
        failed=1
    elif ! compile "$work/link_fault_model.c"; then
        echo "FAIL $1: does not compile"
        failed=1
    elif timeout 60 "$work/test" >"$work/log" 2>&1; then
        echo "FAIL $1: not noticed"
        failed=1
    else
        echo "$1: $(grep -m 1 FAIL "$work/log")"
        verdict=caught
    fi
    fault_result $verdict - "link filter: $1" test_link_filter
}

compile sim/engine/link_fault_model.c && "$work/test" >"$work/log" || { echo "FAIL the filter as it is"; tail -n 3 "$work/log"; exit 1; }
caught "a shown word vanishes" \
    's/filter->held = filter->pending;/;/'
caught "swallows one packet more" \
    's/filter->swallows \&= filter->sender_within;/;/'
caught "swallows one word less" \
    's/filter->swallows = word \|\| filter->sender_within;/filter->swallows = filter->sender_within;/'
caught "status open while it waits" \
    's/clock->wait : !filter->swallows \&\& !clock->cut/clock->wait : false/'
caught "damage in mid-wait" \
    's/filter->looked_at = word \&\& wait;/filter->looked_at = false;/'
caught "no abort behind a held word" \
    's/filter->held \? !ends_packet\(filter->held, word_width\) : filter->receiver_within/filter->receiver_within/'
caught "abort overwrites" \
    's/if \(filter->owes \&\& !filter->held\)/if (filter->owes)/'
caught "swallows after a reset" \
    's/filter->sender_within = filter->swallows = filter->looked_at/filter->sender_within = filter->looked_at/'
caught "a word that waits is lost" \
    's/filter->pending = wait \&\& !filter->held \? shown : 0;/filter->pending = 0;/'
caught "the terminator is forgotten" \
    's/filter->receiver_within = !ends_packet\(shown, word_width\);/filter->receiver_within = true;/'
[ "$failed" = 0 ] && echo "PASS"
exit "$failed"
