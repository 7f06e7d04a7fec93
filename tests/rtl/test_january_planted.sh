#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Planted bugs in hw/january: a bench must find each. One bug of each module, and under `make faults` (or with ALL_PLANTED=1)
# all.
# time limit: 900 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
out=build/tests/rtl/january_planted
seed=${SEED:-1}
survived=0
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
rm -rf "$out" && mkdir -p "$out"

# module | bench | rule | what is broken | sed -E script
bugs() {
    cat <<'TABLE'
january_net_input|net_input|J2|the next packet enters behind a terminator|s/queue_wait \|\| ended;/queue_wait;/
january_net_input|net_input|J10|an abort_request aborts a whole packet|s/ABORT_REQUEST \&\& split;/ABORT_REQUEST;/
january_net_input|net_input|J10|a word moves in the clock of the abort|s/!waits \&\& !aborts \&\& /!waits \&\& /
january_net_input|net_input|J9|a terminator leaves while an output waits|s/DONE:       next = abort_now \? FIN_ABORT : waits \? LAST/DONE:       next = abort_now ? FIN_ABORT : waits ? FREE/
january_net_input|net_input|J10|abort mode ends without a terminator|s/ABORT:      if \(terminator\)/ABORT:      if (word_present)/
january_net_input|net_input|J5|target_info has a way of its own|s/is_site_word \? way : last_way/way/
january_net_output|net_output|J1|free while the terminator is in the register|s/DONE, LAST: status = `POSTROAD_JANUARY_STATUS_WAIT/DONE, LAST: status = `POSTROAD_JANUARY_STATUS_FREE/
january_net_output|net_output|J11|an aborted branch that carried nothing owes an abort_packet|s/abort \&\& !free/abort/
january_net_output|net_output|J11|done while an abort_packet is owed|s/next = ready \? FREE : DONE/next = FREE/
january_net_output|net_output|J3|abort_request does not pass|s/: abort_request \?/: 1'b0 ?/
january_heading|traffic|J8|no head diverts|s/gives_up   = overdue/gives_up   = 1'b0/
january_heading|traffic|J6|the last target is not looked at|s/if \(arrives \&\& site_word\) wanted/if (1'b0) wanted/
january_heading|traffic|J7|a split packet counts no target here|s/wanted\[0\] \? `POSTROAD_JANUARY_CONNECTION_SOME/1'b0 ? `POSTROAD_JANUARY_CONNECTION_SOME/
january_access|traffic|J6|a partial find holds what it found|s/\(split\[p\*PORTS \+: PORTS\] \& ~available\) == \{PORTS\{1'b0\}\}/split[p*PORTS] \&\& available[0]/
january_access|traffic|J7|a busy net_output is taken|s/\(whole\[p\*PORTS \+: PORTS\] \& ~available\) == \{PORTS\{1'b0\}\}/1'b1/
january_time_out|traffic|J9|no time-out|s/count >= limit/1'b0/
january_time_out|time_out|J9|all time-outs are alike|s/count >= limit/count >= abort_threshold/
january_time_out|time_out|J9|a limit that changes while it counts|s/ \&\& !stands//
january_time_out|time_out|J9|gaps count|s/stands \? count/connected ? count/
january_time_out|time_out|J9|no site has a seed of its own|s/<= \{seed, /<= {14'd0, /
january_router|traffic|J7|all_remote keeps its copy|s/discarded \? `POSTROAD_TAG_ABORT_PACKET : tag/tag/
january_router|traffic|J7|some_local is sent on|s/\{local_end \&\& loads,/{1'b0,/
january_router|traffic|J12|the mark of a target elsewhere|s/is_target \? own_target :/is_target ? 1'b1 :/
january_router|traffic|J12|a branch begins with a pad|s/NULL_TARGET \& \{3\{begun\}\}/NULL_TARGET/
january_router|traffic|J4|some branches take a word that others cannot|s/: \|waiting    \? `POSTROAD_JANUARY_STATUS_WAIT :/: 1'b0 ? `POSTROAD_JANUARY_STATUS_WAIT :/
january_router|traffic|J10|an aborted branch stays connected|s/\&\& !abort\[o\]/\&\& 1'b1/
TABLE
}

# caught MODULE BENCH SCRIPT: the bench fails with this bug, or does not end.
caught() {
    local file=$out/$1.v bench=january_$2_tb
    sed -E "$3" "hw/january/$1.v" >"$file"
    if cmp -s "$file" "hw/january/$1.v"; then
        echo "the bug does not change $1"
        return 1
    fi
    iverilog -g2005 -s "$bench" -o "$out/bench.vvp" -Ihw/protocol -Itests/rtl -y hw/january -y hw/common \
        -y tests/rtl "$file" "tests/rtl/$bench.v" || return 1
    ! grep -q ^PASS <(timeout 100 vvp -n "$out/bench.vvp" +seed="$seed" +errors=1)
}

declare -A planted
while IFS='|' read -r module bench rule what script; do
    [ -z "${FAULTS_RESULTS:-}${ALL_PLANTED:-}" ] && [ -n "${planted[$module]:-}" ] && continue
    planted[$module]=1
    fault_start
    if caught "$module" "$bench" "$script"; then
        verdict=caught
    else
        verdict=MISSED
        survived=$((survived + 1))
    fi
    echo "$verdict: $module: $what"
    fault_result "$verdict" "$rule" "$module: $what" "january_${bench}_tb"
done < <(bugs)
echo "$survived bugs survived"
[ $survived = 0 ]
