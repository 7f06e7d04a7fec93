#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Planted bugs in hw/board_link: each is a change of one module that its bench must find, or the bench of two ends. The bugs of
# frame_verdict, word_departure and line_crc are in tests/formal/planted. With an argument, only bugs of that module.
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
link_ports|ends|a word shown for two clocks|s/shown\[l\] <= operation_ends && /shown[l] <= /
link_ports|ends|a word leaves unsent|s/operation_ends && accepts/operation_ends/
link_ports|ends|a link never goes down|s/down\[l\] <= down_next/down[l] <= down_next \&\& down[l]/
link_engine|ends|a reset fabric's word is not spoiled|s/ \^ \(is_word && flushes\)//
link_engine|ends|back-pressure is not reported|s/level\[3:2\] != 2'd0 \?/1'b0 ?/
link_engine|ends|no empty place behind a status frame|s/leads \? frame_now && !\(word_now && carries\)/leads ? 1'b0/
link_engine|ends|a flush forgets the open packet only|s/\{open, write_place, read_place\} <= 9'd0/write_place <= read_place/
TABLE
}

# judge BENCH LOG: 0 if the bench passes with the sources in $out/hw.
judge() {
    if [ "$1" = ends ]; then
        verilator --cc --exe --build -O3 --x-assign fast --x-initial fast --noassert -Wno-lint -Wno-style -Ihw/protocol \
            -y hw/cutthrough -y "$out/hw" --top-module board_link_end --Mdir "$out/verilated" \
            -CFLAGS "-std=c++17 -O1 -DBENCH_RATIO=1" -o bench tests/rtl/board_link/board_link_end.v \
            "$PWD/tests/rtl/board_link/bench.cpp" >"$2" 2>&1 || return 2
        timeout 100 "$out/verilated/bench" seed="$seed" >"$2" 2>&1
    else
        iverilog -g2005 -s "$1" -o "$out/bench.vvp" -Ihw/protocol -Itests/rtl -y "$out/hw" "tests/rtl/$1.v" >"$2" 2>&1 || return 2
        timeout 100 vvp -n "$out/bench.vvp" +seed="$seed" >"$2" 2>&1 && grep -q '^PASS' "$2"
    fi
}

plant() {
    local module=$1 bench=$2 what=$3 script=$4 status
    fault_start
    rm -rf "$out/hw" && cp -r hw/board_link "$out/hw"
    sed -i -E "$script" "$out/hw/$module.v"
    if cmp -s "hw/board_link/$module.v" "$out/hw/$module.v"; then
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
while IFS='|' read -r module bench what script; do
    [ $# -gt 0 ] && [ "$module" != "$1" ] || plant "$module" "$bench" "$what" "$script"
done < <(bugs)
[ $survived = 0 ] && echo "PASS: planted bugs caught"
exit $((survived != 0))
