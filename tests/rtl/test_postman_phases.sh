#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Planes of hw/postman in which a bit crosses several nodes a clock (hw/postman/phases.md): lone packets of all pairs in as many
# clocks as its R19 has, and traffic, with all options (tests/rtl/postman/bench.cpp). Within a clock no bit crosses from a line of
# one dimension to one of the other. SEED: the traffic, and which kind of it each plane gets; LONG: all kinds.
# needs only: postman-bench
# reads: hw
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/rtl/postman/planes.bash
source tests/rtl/postman/planes.bash
work=build/tests/rtl/postman_phases
mkdir -p "$work"

# crossings OUTPUT_V LATE_PASS: how many lines of one dimension reach an output of the other without a flop or a memory between.
crossings() {
    yosys -q -p "
        read_verilog $1 $(printf 'hw/postman/postman_%s.v ' node machine transit_buffer arrival_buffer bit_counter)
        chparam -set THROUGH 1 -set LATE_PASS $2 postman_node
        hierarchy -top postman_node
        proc; flatten; opt; memory_dff; memory_collect; simplemap; opt_clean; splitnets -ports
        delete t:\$_DFF* t:\$_SDFF* t:\$mem*
        select -assert-count 1 o:line_out?0? %ci* i:line_in?0? %i
        tee -q -o $work/crossings select -list o:line_out?1? %ci* i:line_in?0? %i o:line_out?0? %ci* i:line_in?1? %i" || exit 1
    wc -l <"$work/crossings"
}

for options in h2 h3 h32 vh4 ph3 4h4; do
    run 5x4 $options lone "$seed"
done
for options in h2 h32 rh3 sh4 ph4 rsph2 vrsh4 2rsh4 rslh3; do
    for mesh in 5x3 8x8 16x2; do
        traffic $mesh $options 60
    done
done

for late in 0 1; do
    [ "$(crossings hw/postman/postman_output.v $late)" = 0 ] && continue
    echo "FAIL: a bit crosses from a dimension to the other"
    exit 1
done
sed 's/free && pass_ahead/grant[0]/' hw/postman/postman_output.v >"$work/planted.v"
[ "$(crossings "$work/planted.v" 0)" = 2 ] || { echo "FAIL: turns before what goes straight on were not noticed"; exit 1; }
echo PASS
