#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Planted bugs in what stands between the planes of hw/postman and the operator, or on a wire between two nodes: the bench of sites
# must find each, or that of the sites of a torus, or that of the machines that are requested, or that of the counters, or that of
# nodes with one wire a link. One bug of each module, and under `make faults` (or with ALL_PLANTED=1) all.
# time limit: 900 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
out=build/tests/rtl/postman_fabric_planted
seed=${SEED:-1}
survived=0
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
rm -rf "$out" && mkdir -p "$out"

# module | bench | what is broken | sed -E script
bugs() {
    cat <<'TABLE'
postman_inject|fabric|a target that does not exist is sent to|s/head \&\& exists/head/
postman_inject|fabric|a packet longer than its buffer|s/- 1 - TRAILER_FLITS/+ 8 - TRAILER_FLITS/
postman_inject|fabric|a malformed packet is sent|s/if \(malformed\) \{.*/if (malformed) {state_next, done, event_drop} = {STATE_TRAILER, 2'b11};/
postman_inject|fabric|target_info behind data|s/ \&\& !data_seen//
postman_inject|fabric|a packet goes into a plane that leads away|s/east \&\& !north/east \&\& !south/
postman_inject|fabric|X and Y of the addresses exchanged|s/\? to_y : to_x/? to_x : to_y/
postman_inject|fabric|one address where both axes differ|s/load_two <= both/load_two <= 1'b0/
postman_inject|fabric|two machines get one packet|s/\|granted \? chosen : candidates/candidates/
postman_inject|fabric|target_info is not counted|s/infos <= infos \+ 8'd1/infos <= infos/
postman_inject|fabric|a word is taken while the one before is written|s/holds_next \&\& !last_flit_next/1'b0/
postman_inject|fabric|half a packet for the own site is whole|s/\{`POSTROAD_TAG_ABORT_PACKET, /{`POSTROAD_TAG_END_OF_PACKET, /
postman_deliver|fabric|the check is not looked at|s/bad <= crc_next != 16'd0/bad <= 1'b0/
postman_deliver|fabric|a buffer is freed too early|s/state == STATE_END \&\& free\}/state == STATE_HEAD}/
postman_deliver|fabric|a word is lost under wait|s/= !\(\|receive\[WORD_WIDTH \+: 3\]\) \|\| !receive_wait/= 1'b1/
postman_deliver|fabric|one target_info word too few|s/infos <= flit;/infos <= flit - 8'd1;/
postman_deliver|fabric|the own packet begins without its site|s/state_next = next\[MACHINES\] \? STATE_OWN/state_next = next[MACHINES] ? STATE_HEAD/
postman_deliver|fabric|the first buffer alone is served|s/\|above \? above : waits/waits/
postman_planes|fabric|busy of the other plane|s/\{busy\[8\*k \+ UPPER_IN\], busy\[8\*k \+ LOWER_IN\]\}/{busy[8*k + LOWER_IN], busy[8*k + UPPER_IN]}/
postman_planes|fabric|data of the other plane|s/\(2\*k \+ 1\)\/WIRE_LINES\]/2*k\/WIRE_LINES]/
postman_planes|fabric|busy is not seen|s/= link_in\[BUSY\];/= 1'b0;/
postman_planes|fabric|a plane moves in the other one's clocks|s/moves\[p\] = phase == TURN/moves[p] = phase != TURN/
postman_planes|fabric|quiet while planes are at work|s/\&plane_quiet;/1'b1;/
postman_planes|torus|no line crosses the cut|s/crosses\(cut\[(LOWER|UPPER)_OUT\]\)/crosses(1'b0)/
postman_planes|torus|the cut of the other plane|s/crosses\(cut\[LOWER_OUT\]\)/crosses(cut[UPPER_OUT])/
postman_cut|torus|layer 1 leads on|s/wires      = crosses \? \{line\[0\], 1'b0\}/wires      = crosses ? {|line, 1'b0}/
postman_cut|torus|busy of layer 0 behind the cut|s/\{1'b0, wires_busy\[1\]\}/{1'b0, wires_busy[0]}/
postman_cut|torus|a line over the cut stays in its layer|s/\{line\[0\], 1'b0\} : line;/{1'b0, line[0]} : line;/
postman_inject|inject|a torus has the ways of a grid|s/if \(TORUS != 0\)/if (0)/
postman_inject|inject|Y may begin without adaptive routing|s/ \&\& \(!both \|\| adaptive_routing\)//
postman_way|inject|all go the positive way|s/> \{1'b0, size\}/> 9'd511/
postman_way|inject|half way round is the negative way|s/> \{1'b0, size\}/>= {1'b0, size}/
postman_way|inject|the way round is not seen|s/straight\[7\] \? straight \+ size : straight/straight/
postman_deliver|torus|arrivals in layer 1 are not read|s/m < MACHINES/m < 8/
postman_event|counts|pulses of one clock count once|s/rest\[WIDTH\] \? MOST : rest\[WIDTH-1:0\]/NONE/
postman_event|counts|few pulses of a torus wait|s/\? 3 : 8/? 3 : 5/
postman_event|counts|a pulse counts again|s/ - \{\{WIDTH\{1'b0\}\}, event_one\}//
postman_link_words|counts|a data bit begins a flit|s/ \&\& left == 4'd0 \&\& line/ \&\& line/
postman_link_words|counts|a rest is forgotten|s/over\[REST_WIDTH-1:0\] : sum/{REST_WIDTH{1'b0}} : sum/
postman_shared_wire|shared_wire|a packet begins in any phase|s/in_phase \&\& \(returns/(returns/
postman_shared_wire|shared_wire|an idle wire does not turn|s/ \&\& phase == LAST_HEADER;/ \&\& 1'b0;/
postman_shared_wire|shared_wire|a reservation counts before it is shown|s/of_receiver \&\& busy;/busy;/
postman_shared_wire|shared_wire|busy is taken for data|s/= of_sender \&\& wire_in;/= wire_in;/
postman_shared_wire|shared_wire|any 0 ends a packet|s/position == N \&\& !wire_in;/position != NONE \&\& !wire_in;/
postman_shared_wire|shared_wire|both ends drive behind a packet|s/of_sender \&\& !packet_ends/of_sender/
TABLE
}

# caught MODULE BENCH SCRIPT: the bench fails with this bug.
caught() {
    local file=$out/$1.v bench=postman_$2_tb
    sed -E "$3" "hw/postman/$1.v" >"$file"
    if cmp -s "$file" "hw/postman/$1.v"; then
        echo "the bug does not change $1"
        return 1
    fi
    iverilog -g2005 -s "$bench" -o "$out/bench.vvp" -Ihw/protocol -Itests/rtl -y hw/postman -y hw/common \
        -y tests/rtl "$file" "tests/rtl/$bench.v" || return 1
    ! grep -q ^PASS <(timeout 200 vvp -n "$out/bench.vvp" +seed="$seed" +errors=1)
}

declare -A planted
while IFS='|' read -r module bench what script; do
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
    fault_result "$verdict" X1 "$module: $what" "postman_${bench}_tb"
done < <(bugs)
echo "$survived bugs survived"
[ $survived = 0 ]
