#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Planted bugs in hw/board_link: each is a change of one module that its bench must find, or the bench of two ends, in its run
# `suite` or `states`. The bugs of frame_verdict, word_departure and line_crc are in tests/formal/planted. With an argument, only
# bugs of that module; without, one of each module and bench, and under `make faults` (or with ALL_PLANTED=1) all.
# needs: link-benches
# time limit: 900 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
out=build/tests/rtl/board_link_planted
seed=${SEED:-1}
survived=0
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
rm -rf "$out" && mkdir -p "$out"

# module | bench | what is broken | sed -E script
bugs() {
    cat <<'TABLE'
line_crc|line_crc_tb|another polynomial|s/16'h0389/16'h8005/
line_receiver|line_tb|one sample is a start bit|s/samples\[4:1\] == 4'b0111/samples[2:1] == 2'b01/
line_receiver|line_tb|sampled at the edge|s/count\[1:0\] == 2'd3/count[1:0] == 2'd1/
line_receiver|line_tb|no framing error|s/value\[0\] <= !value\[0\]/value[0] <= value[0]/
line_receiver|line_tb|the last byte is complete too early|s/\{2\{count\[7\] && !count\[2\]\}\} \| //
line_sender|line_tb|no start bit|s/ \|\| \(load && start\)//
link_schedule|link_schedule_tb|a link in the wrong order|s/\{last, !last && !turns_over\}/{1'b0, !turns_over}/
link_schedule|link_schedule_tb|checked twice|s/ && !operation\[3\];/;/
link_ports|suite|a word shown for two clocks|s/shown\[l\] <= operation_ends && /shown[l] <= /
link_ports|suite|a word leaves unsent|s/operation_ends && accepts/operation_ends/
link_ports|suite|a link never goes down|s/down\[l\] <= down_next/down[l] <= down_next \&\& down[l]/
link_engine|suite|a reset fabric's word is not spoiled|s/ \^ \(is_word && flushes\)//
link_engine|suite|back-pressure is not reported|s/level\[3:2\] != 2'd0 \?/1'b0 ?/
link_engine|suite|no empty place behind a status frame|s/leads \? frame_now && !\(word_now && carries\)/leads ? 1'b0/
link_engine|suite|a flush forgets the open packet only|s/\{open, write_place, read_place\} <= 9'd0/write_place <= read_place/
link_engine|states|an end that was reset is up|s/down_valid && !starting/down_valid/
link_engine|suite|received words are not counted|s/seen == 2'd2 \|\| \(/(/
link_engine|suite|a training is counted again and again|s/left\[5\] && !came_up_next/left[5]/
link_engine|suite|time up is counted while down|s/ && new_period && !down/ \&\& new_period/
link_ports|suite|a word shown while the fabric waits|s/ && !link_in_wait\[l\]//
link_ports|suite|a byte leaves by every link|s/load\(load && mine\)/load(load)/
link_probe|suite|the halves of a row are exchanged|s/chosen\[7\] \? right : left/chosen[7] ? left : right/
link_probe|suite|ready before the value is there|s/!chooses && \(ready \|\| arrives\)/!chooses/
link_memory|suite|a byte that is written changes the other|s/if \(write_high\)/if (write_low)/
link_memory|suite|counts are written over the CRC's row|s/write_row \| beside_next/write_row/
link_ports|link_ports_tb|a word shown while the fabric waits|s/ && !link_in_wait\[l\]//
link_ports|link_ports_tb|a word leaves by every link|s/accepts && mine/accepts/
link_ports|link_ports_tb|a byte leaves by every link|s/load\(load && mine\)/load(load)/
link_ports|link_ports_tb|down reaches every link|s/down_known && concluded/down_known/
link_ports|link_ports_tb|a word is taken while the fabric waits|s/shown & ~input_waits/shown/
link_ports|link_ports_tb|up behind a reset|s/\} <= 3'b001/} <= 3'b000/
link_probe|link_probe_tb|the halves of a row are exchanged|s/chosen\[7\] \? right : left/chosen[7] ? left : right/
link_probe|link_probe_tb|ready before the value is there|s/!chooses && \(ready \|\| arrives\)/!chooses/
link_probe|link_probe_tb|a value of the row before|s/reads && !chooses/reads/
link_memory|link_memory_tb|a byte that is written changes the other|s/if \(write_high\)/if (write_low)/
link_memory|link_memory_tb|counts are written over the CRC's row|s/write_row \| beside_next/write_row/
link_memory|link_memory_tb|no start value of a CRC|s/16'hffff : 16'd0/16'd0 : 16'd0/
board_link|suite|the fabric's reset empties no queue|s/reset \|\| fabric_reset\) flushing/reset) flushing/
board_link|suite|every clock is the fabric's|s/RATIO == 1 \|\| /1'b1 || /
TABLE
}

# The bench is compiled once: it needs no more of the design than the ports of its top module.
root=$("${VERILATOR:-verilator}" --getenv VERILATOR_ROOT)/include

build_ends() {
    rm -rf "$out/verilated" && mkdir "$out/verilated" &&
        "${VERILATOR:-verilator}" --cc -O3 --x-assign fast --x-initial fast --noassert -Wno-lint -Wno-style -Ihw/protocol \
            -y "$out/hw" -y hw/common -GRATIO=2 --top-module board_link_end --Mdir "$out/verilated" \
            tests/rtl/board_link/board_link_end.v &&
        printf '#include "%s"\n' "$PWD/$out"/verilated/*.cpp >"$out/unit" &&
        "${CXX:-g++}" -std=c++17 -O1 -w -isystem "$root" -isystem "$root/vltstd" -c -o "$out/model.o" -x c++ "$out/unit" &&
        if [ ! -e "$out/bench.o" ]; then
            "${CXX:-g++}" -std=c++17 -O1 -w -DBENCH_RATIO=2 -DBENCH_POLYNOMIAL=0x0389 -isystem "$root" -isystem "$root/vltstd" \
                -I"$out/verilated" -c -o "$out/bench.o" tests/rtl/board_link/bench.cpp
        fi &&
        "${CXX:-g++}" -o "$out/bench" "$out/bench.o" "$out/model.o" build/tests/rtl/board_link/ratio-2/verilated.o \
            build/tests/rtl/board_link/ratio-2/verilated_threads.o -lpthread
}

# judge BENCH LOG: 0 if the bench passes with the sources in $out/hw. Some bugs show only if a fault comes in one of many states of
# a link: the bench of two ends has four seeds to find them.
judge() {
    local k
    if [ "$1" = suite ] || [ "$1" = states ]; then
        build_ends >"$2" 2>&1 || return 2
        for k in 0 1 2 3; do
            timeout 100 "$out/bench" seed=$((seed + k)) run="$1" >"$2" 2>&1 || return 1
        done
    else
        iverilog -g2005 -s "$1" -o "$out/bench.vvp" -Ihw/protocol -Itests/rtl -y "$out/hw" "tests/rtl/$1.v" >"$2" 2>&1 || return 2
        timeout 100 vvp -n "$out/bench.vvp" +seed="$seed" >"$2" 2>&1 && grep -q '^PASS' "$2"
    fi
}

plant() {
    local module=$1 bench=$2 what=$3 script=$4 status
    fault_start
    rm -rf "$out/hw" && cp -r hw/board_link "$out/hw" && cp hw/common/line_crc.v "$out/hw"
    sed -i -E "$script" "$out/hw/$module.v"
    if cmp -s "$(ls "hw/board_link/$module.v" "hw/common/$module.v" 2>/dev/null)" "$out/hw/$module.v"; then
        echo "FAIL: $module, $what: the script changes nothing"
    else
        judge "$bench" "$out/log"
        status=$?
        if [ $status = 2 ]; then
            echo "FAIL: $module, $what: does not compile"
            tail -n 5 "$out/log"
        elif [ $status = 0 ]; then
            echo "FAIL: $module, $what: not caught"
        else
            echo "$module, $what: caught: $(grep -m 1 error: "$out/log")"
            fault_result caught - "$module: $what" "$bench"
            return
        fi
    fi
    fault_result MISSED - "$module: $what" "$bench"
    survived=$((survived + 1))
}

echo "seed $seed"
declare -A planted
while IFS='|' read -r module bench what script; do
    [ $# -gt 0 ] && [ "$module" != "$1" ] && continue
    [ $# -eq 0 ] && [ -z "${FAULTS_RESULTS:-}${ALL_PLANTED:-}" ] && [ -n "${planted[$module $bench]:-}" ] && continue
    planted["$module $bench"]=1
    plant "$module" "$bench" "$what" "$script"
done < <(bugs)
[ $survived = 0 ] && echo "PASS: planted bugs caught"
exit $((survived != 0))
