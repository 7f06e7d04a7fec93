#!/bin/bash
# SPDX-License-Identifier: ISC
# Stock Yosys reads the fabric as Verilog-2005, in every width and number of links it is offered in, and finds nothing
# that is not synthesisable: no latch, no undriven net, and the queues in block RAM. `make test` takes one width and one number of
# links, which SEED draws; LONG: all.
# needs only: nothing
# reads: hw
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p build/formal
log=build/formal/yosys-reads.log

seed=${SEED:-1} widths=(16 32) all_links=(2 4 6)
[ -n "${LONG:-}" ] || { widths=("${widths[seed % 2]}") all_links=("${all_links[seed % 3]}"); }
for width in "${widths[@]}"; do
    for links in "${all_links[@]}"; do
        yosys -q -l "$log" -p "
            read_verilog -I hw/protocol hw/common/*.v hw/cutthrough/*.v
            chparam -set WORD_WIDTH $width -set LINKS $links fabric
            hierarchy -check -top fabric
            proc; select -assert-none t:\$dlatch; flatten; opt; check -assert" || { tail -5 "$log"; exit 1; }
        echo "fabric WORD_WIDTH=$width LINKS=$links: read, no latch, no undriven net"
    done
done

yosys -q -l "$log" -p "
    read_verilog -I hw/protocol hw/common/*.v hw/cutthrough/*.v
    synth_ice40 -top fabric -run begin:map_luts
    select -assert-min 4 t:SB_RAM40_4K" || { tail -5 "$log"; exit 1; }
echo "fabric: queues in block RAM"
