#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 600 s
# `postroad sim` must notice an operator that does not keep what the reliable service promises: one line of a copy of the
# firmware's sources is changed at a time, and the run has to end badly and say what is wrong.
# needs: build/libcli.a build/libpostroad.a build/libsim.a build/libfirmware.a build/tests/libraries
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
build=${BUILD:-build}
objects=$build/objects
postroad=$work/postroad

# link SOURCE: a postroad with this source in place of the one in the library.
link() {
    ${CC:-gcc} -std=c11 -O1 -Ihw/protocol -Ifirmware -Ibuild/firmware/include -o "$postroad" "$1" "$objects/host-tools/postroad/main.o" \
        "$build"/lib{cli,postroad,sim}.a "$build/libfirmware.a" \
        "@$build/tests/libraries" -Wl,--allow-multiple-definition
}

# caught WHAT FILE SCRIPT CODE RESULT ARGUMENTS...: that run ends with the exit code and the result.
caught() {
    local what=$1 file=firmware/operator/$2.c script=$3 code=$4 result=$5 before=$failures
    shift 5
    fault_start
    sed -E "$script" "$file" >"$work/$(basename "$file")"
    if cmp -s "$file" "$work/$(basename "$file")"; then
        fail "$what: the script changes nothing"
        return
    fi
    link "$work/$(basename "$file")" || { fail "$what: does not compile"; return; }
    run "$code" hw/mesh/grid-4x4.mesh --reliable 1 --quiet --json --packets 2000 --load 0.3 "$@"
    expect "$result" result
    planted_result "$before" - "operator: $what" "postroad sim --reliable 1"
    printf '%s: %s\n' "$what" "$(value diagnosis)"
}

# One site gets most of the packets: it answers with what is due to lives of theirs that are over.
hot=(--traffic hot-spot --hot-share 0.9 --load 1 --window 16 --length 1 --packets 10000 --fault 'reset:any:~1000')
info=(--info 2 --multicast 0.3)

link firmware/operator/duplicate_filter.c || fail "the sources as they are do not compile"
run 0 hw/mesh/grid-4x4.mesh --reliable 1 --quiet --json --packets 2000 --load 0.3 --fault corrupt:0.001 "${info[@]}"
expect_exactly_once
run 4 hw/mesh/grid-4x4.mesh --reliable 1 --quiet --json "${hot[@]}"

caught "delivers duplicates" duplicate_filter 's/\? PR_PEER_NEW : PR_PEER_DUPLICATE/? PR_PEER_NEW : PR_PEER_NEW/' 3 wrong --fault corrupt:0.001
caught "acknowledges what it does not deliver" receive \
    's/if \(op->handlers\[k\]\.handler == delivery\.handler\)/if (delivery.sequence % 16)/' 3 wrong
caught "a carried acknowledgement is taken for data" receive 's/data_of\(packet\) \+ header->words/data_of(packet) + 3/' \
    3 wrong
caught "never sends again" send_window 's/pr_has_come\(clock, slot->deadline\)\) \{/false) {/' 5 hung --fault corrupt:0.001
caught "gives up in silence" send_window '/targets_failed|TARGETS_FAILED/,/^}/s/pr_operator_report\(op, &event\);//' 3 wrong \
    --fault stop:5:1000
caught "does not hold back" send_window 's/!\(slot->ordered && is_held_back\(op, slot\)\)/true/' 3 wrong --ordered \
    --window 16 --load 1 --fault corrupt:0.001
caught "acknowledgements of another life count" send_window '/acknowledgement->epoch != .pr_own_epoch/,/return;/d' 3 wrong "${hot[@]}"
caught "delivers one duplicate in a thousand" receive \
    's/if \(news == PR_PEER_NEW\)/static unsigned k; if (news == PR_PEER_NEW || (news == PR_PEER_DUPLICATE \&\& ++k % 1000 == 0))/' \
    3 wrong --packets 20000 --fault corrupt:0.01
for service in 1 0; do
    caught "target_info of the word before, --reliable $service" receive 's/delivery->info = packet->words \+ k;/delivery->info = packet->words + k - 1;/' 3 wrong \
        --reliable $service "${info[@]}"
    caught "a stamp one clock late, --reliable $service" receive 's/(\.stamp_first = arrival->stamp_first),/\1 + 1,/' 3 wrong \
        --reliable $service
    caught "the handler's number loses a bit, --reliable $service" receive 's/(\.handler = header->handler),/\1 \& 0x7f,/' \
        3 wrong --reliable $service
done
finish
