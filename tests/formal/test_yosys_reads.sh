#!/bin/bash
# SPDX-License-Identifier: ISC
# Stock Yosys reads the fabric as Verilog-2005, in every width and number of links it is offered in, and finds nothing
# that is not synthesisable: no latch, no undriven net, and the queues in block RAM.
# needs only: nothing
# reads: hw
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p build/formal
log=build/formal/yosys-reads.log

for width in 16 32; do
    for links in 2 4 6; do
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
