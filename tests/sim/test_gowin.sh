#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What nextpnr has placed and routed for a Gowin FPGA, turned back into Verilog (build/gowin_to_verilog), does what its RTL does:
# a design with each kind of cell, compared in every clock. A damaged netlist is noticed; garbage is refused.
# needs only: build/gowin_to_verilog build/tests/sim/gowin_fuzz
# time limit: 900 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=hw/utilisation/fpga.bash
source hw/utilisation/fpga.bash
build=${BUILD:-build}
mkdir -p "$build/tests"
work=$(mktemp -d "$build/tests/gowin.XXXXXX") # the tools see no folder but the tree
trap 'rm -rf "$work"' EXIT
design=tests/sim/ecp5/every_cell
seed=${SEED:-1}

# run COMMAND...: a tool; its output is shown only if it fails.
run() {
    "$@" >"$work/log" 2>&1 || { echo "FAIL: ${1##*/}"; tail -n 20 "$work/log"; exit 1; }
}

convert() {
    "$build/gowin_to_verilog" "$1" "$work/chip.v" chip "$work/rams" >"$work/log" 2>&1
}

# compare CLOCKS: the chip in $work/chip.v with the RTL
compare() {
    iverilog -g2005 -s compare_bench -o "$work/bench.vvp" $design.v tests/sim/gowin/compare_bench.v sim/bitstream/gowin_*.v \
        "$work/chip.v" >"$work/log" 2>&1 &&
        vvp -n "$work/bench.vvp" "+seed=$seed" "+clocks=$1" "+block_rams=$work/rams" >"$work/log" &&
        grep -q '^PASS' "$work/log"
}

# planted WHAT SED: the script damages the netlist.
planted() {
    sed -E "$2" "$work/good.json" >"$work/bad.json"
    if cmp -s "$work/good.json" "$work/bad.json"; then
        echo "FAIL $1: nothing planted"
    elif convert "$work/bad.json" && compare 1500; then
        echo "FAIL $1: not noticed"
    else
        return
    fi
    status=1
}

run "$YOSYS" -q -p "read_verilog $design.v; synth_gowin -family gw2a -noiopads -nodsp -top every_cell; rename every_cell top;
    iopadmap -bits -inpad IBUF O:I -outpad OBUF I:O top; write_json $work/top.json"
run "$NEXTPNR_GOWIN" --device GW2AR-LV18QN88C8/I7 --vopt family=GW2A-18C --vopt cst=tests/sim/gowin/every_cell.cst \
    --json "$work/top.json" --freq 27 --write "$work/good.json" --seed 1

status=0
convert "$work/good.json" || { echo "FAIL: the netlist is refused"; cat "$work/log"; exit 1; }
compare 4000 || { echo "FAIL: chip and RTL differ"; cat "$work/log"; exit 1; }
cat "$work/log"

planted 'a bit of the tables' 's/("INIT": "[01]{3})0/\11/'
planted 'sets that are resets' 's/"type": "DFFPE"/"type": "DFFCE"/; s/"PRESET"/"CLEAR"/'
planted 'rising edges that fall' 's/"type": "DFFS"/"type": "DFFNS"/'
planted 'adders with another table' 's/("RAW_ALU_LUT": "0{16})1100000011000000/\10011000000111111/'
planted 'contents of block RAMs' 's/("INIT_RAM_0.": ")[01]{9}/\1111111111/'
planted 'a block RAM of another width' 's/("BIT_WIDTH_1": "0*)100"/\110"/'
sed 's/"type": "DFFPE"/"type": "rPLL"/' "$work/good.json" >"$work/bad.json"
if convert "$work/bad.json" || ! grep -q 'rPLL.*not known' "$work/log"; then
    echo 'FAIL: a cell that is not known is not refused'
    status=1
fi
SEED=$seed "$build/tests/sim/gowin_fuzz" "$work/good.json" || status=1
[ $status = 0 ] && echo PASS
exit $status
