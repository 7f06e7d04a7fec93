#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# boards/build and boards/with_firmware with stand-ins for Yosys, nextpnr and the packers: what is done again and what is not, the
# timing's margin, the budget, tools that fail, two builds at a time, and that a folder is whole or as it was.
# needs only: build/generate_board
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/tools.bash
source tests/expect.bash

top=$PWD
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/build/{bitstream,firmware,venv/{fpga,bin,share/{vexriscv,serv}}} "$tree"/hw "$tree"/host-tools/setup
cp -rL boards "$tree/"
cp -rL hw/* "$tree/hw/"
cp host-tools/setup/fpga_requirements.txt "$tree/host-tools/setup/"
cp build/generate_board "$tree/build/"
cd "$tree"
echo 00000000 | tee build/firmware/boot.hex build/venv/share/vexriscv/VexRiscv_Min.v >build/venv/share/serv/serv_top.v

# The stand-ins. Each counts its runs in a file; `figures` has what nextpnr says.
stand_in() {
    cat >"$1"
    chmod +x "$1"
}
stand_in build/venv/fpga/yosys <<'E2'
#!/bin/bash
echo yosys >>runs
[ ! -e yosys_fails ] || { echo 'ERROR: no such module'; exit 1; }
sed -n 's/.*write_json \(.*\)/\1/p' <<<"$*" | xargs touch
E2
stand_in build/venv/fpga/nextpnr-ice40 <<'E2'
#!/bin/bash
echo nextpnr >>runs
echo "$*" >nextpnr_options
[ ! -e nextpnr_slow ] || sleep 1
[ ! -e nextpnr_fails ] || { echo 'ERROR: no BELs remaining'; exit 1; }
while [ "$1" != --asc ]; do shift; done
cat "$(dirname "$2")/image.hex" >"$2" 2>/dev/null || echo asc >"$2"
cat figures
E2
stand_in build/venv/bin/yowasp-icepack <<'E2'
#!/bin/bash
echo icepack >>runs
[ ! -e icepack_fails ] || { echo 'bad tile'; exit 1; }
cp "$1" "$2"
E2
stand_in build/venv/bin/yowasp-icebram <<'E2'
#!/bin/bash
[ "$1" != -g ] || { for ((n = 0; n < $5; n++)); do printf '%08x\n' $((n * 2654435761 % 4294967296)); done; exit; }
if [ -e icebram_blind ]; then cat; else cat "$2"; fi
E2
# Those of Debian, which boards/with_firmware prefers.
mkdir native
for program in icebram icepack; do cp "build/venv/bin/yowasp-$program" "native/$program"; done
PATH=$tree/native:$PATH

# figures CELLS RAMS MHZ: with a first estimate before routing, and a second clock, which is faster.
figures() {
    cat >figures <<E2
Info: Device utilisation:
Info:           ICESTORM_LC: $1/ 5280    59%
Info:          ICESTORM_RAM: $2/   30    40%
Info: Max frequency for clock 'clk': 1.00 MHz (FAIL at 14.40 MHz)
Info: Max frequency for clock 'clk': $3 MHz (PASS at 14.40 MHz)
Info: Max frequency for clock               'link_clk': 99.00 MHz (PASS at 14.40 MHz)
E2
}

folder=build/bitstream/icebreaker/grid-2x2
build=(boards/build icebreaker hw/mesh/grid-2x2.mesh)

# runs_are COUNT: of nextpnr since the start.
runs_are() {
    [ "$(grep -c nextpnr runs)" -eq "$1" ] || { echo "nextpnr ran $(grep -c nextpnr runs) times, expected $1"; exit 1; }
}

# untouched: the folder is that of the last good build.
untouched() {
    [ "$(cat $folder/report)" = "$good" ] || { echo "$folder has changed, though the build failed"; exit 1; }
    [ "$(cat $folder/top.bin)" = asc ] || { echo "$folder is not whole"; exit 1; }
}

figures 3000 12 28.80
expect 1 'usage: boards/build' boards/build icebreaker
expect 1 "there is no board 'icestick'" boards/build icestick hw/mesh/grid-2x2.mesh
expect 1 'expected a .mesh file' boards/build icebreaker hw/mesh/nothing.mesh
expect 1 'expected [links] board = yes' boards/build icebreaker hw/mesh/grid-4x4.mesh
[ ! -e runs ] || { echo 'a tool ran for what is refused'; exit 1; }
expect 1 'is not built' boards/with_firmware icebreaker grid-2x2 build/firmware/boot.hex out

# Built once, and again only when an input has changed; the time of a file does not matter.
expect 0 '3000 of 5280 cells, 12 of 30 RAMs, 28.80 MHz at a clock of 12 MHz' "${build[@]}"
runs_are 1
good=$(cat $folder/report)
[ "$good" = icebreaker,grid-2x2,3000,5280,12,30,28.80,12,140 ] || { echo "the report is $good"; exit 1; }
grep -q -- '--freq 14.4' nextpnr_options || { echo 'nextpnr does not aim at 1.2 times the clock'; exit 1; }
grep -q -- '--up5k --package sg48' nextpnr_options || { echo 'nextpnr places for another FPGA'; exit 1; }
touch hw/common/link_guard.v boards/icebreaker/top.v
sed -i 's/^console =.*/console = another/' boards/icebreaker/board.conf
expect 0 'up to date' "${build[@]}"
runs_are 1
for file in boards/icebreaker/top.v boards/icebreaker/pins.pcf hw/mesh/board_site.v hw/board_link/board_link.v \
        hw/cutthrough/router.v hw/protocol/straps.vh build/firmware/boot.hex build/venv/share/serv/serv_top.v \
        host-tools/setup/fpga_requirements.txt; do
    echo '// changed' >>$file
    : >runs
    expect 0 'place and route' "${build[@]}"
    runs_are 1
done
sed -i 's/^mapper.*/mapper = flow/' boards/icebreaker/board.conf
expect 0 'place and route' "${build[@]}"
sed -i 's/^max_packet.*/max_packet = 55/' hw/mesh/grid-2x2.mesh
expect 0 'place and route' "${build[@]}"
runs_are 3

# Each step says for about how long: as long as it took the last time. A build that ends in place and route goes on behind
# synthesis, unless an input has changed meanwhile.
: >runs
echo 77 >build/bitstream/icebreaker/.place-and-route.seconds
echo '// changed once more' >>boards/icebreaker/top.v
touch nextpnr_fails
expect 2 'icebreaker, grid-2x2: place and route, about 77 s' "${build[@]}"
expect 2 'icebreaker, grid-2x2: synthesis is there' "${build[@]}"
[ "$(xargs <runs)" = 'yosys nextpnr nextpnr' ] || { echo "synthesis is made again: $(xargs <runs)"; exit 1; }
echo '// changed, and interrupted' >>boards/icebreaker/top.v
expect 2 'icebreaker, grid-2x2: synthesis, about 1 s' "${build[@]}"
rm nextpnr_fails
expect 0 '28.80 MHz' "${build[@]}"
[ "$(xargs <runs)" = 'yosys nextpnr nextpnr yosys nextpnr nextpnr icepack' ] ||
    { echo "not the netlist of these inputs"; exit 1; }
[ "$(cat build/bitstream/icebreaker/.place-and-route.seconds)" -lt 77 ] || { echo 'the forecast stays as it was'; exit 1; }

# What fails leaves the folder as it was.
good=$(cat $folder/report)
echo '// changed again' >>boards/icebreaker/top.v
touch yosys_fails
expect 2 'yosys failed for icebreaker and grid-2x2, the end of build/bitstream/icebreaker/.grid-2x2.new/synth' "${build[@]}"
expect 2 'no such module' "${build[@]}"
rm yosys_fails
untouched
touch nextpnr_fails
expect 2 'no BELs remaining' "${build[@]}"
rm nextpnr_fails
untouched
touch icepack_fails
expect 2 'bad tile' "${build[@]}"
rm icepack_fails
untouched
figures 3000 12 14.39
expect 3 'reaches 14.39 MHz, expected 14.40 MHz, 20 % above its clock' "${build[@]}"
untouched
: >figures
expect 2 'no frequency in' "${build[@]}"
untouched
figures 4901 12 28.80
expect 3 'takes 4901 cells and 12 RAMs, the budget in boards/icebreaker/board.conf is' "${build[@]}"
untouched
figures 4900 21 28.80
expect 3 'takes 4900 cells and 21 RAMs' "${build[@]}"
untouched
figures 4900 20 14.40
expect 0 '14.40 MHz at a clock of 12 MHz' "${build[@]}"

# Two clocks: the one with less to spare is reported, and a path between them has the period of the faster one, with the margin.
sed -i 's/^link_ratio.*/link_ratio = 2/' boards/icebreaker/board.conf
cat >figures <<E2
Info:           ICESTORM_LC: 3000/ 5280    59%
Info:          ICESTORM_RAM: 12/   30    40%
Info: Max frequency for clock               'link_clk': 30.00 MHz (PASS at 28.80 MHz)
Info: Max frequency for clock                    'clk': 25.00 MHz (PASS at 14.40 MHz)
Info: Max delay posedge clk      -> posedge link_clk: 34.80 ns
Info: Max delay posedge link_clk -> posedge clk     : 20.00 ns
E2
expect 3 'a path between two clocks that is too long for 20 % of margin: clk to link_clk: 34.80 ns' "${build[@]}"
sed -i 's/34.80/34.70/' figures
expect 0 '30.00 MHz at a clock of 24 MHz' "${build[@]}"
grep -q -- '--lpf .*clock.lpf' nextpnr_options || { echo 'nextpnr derives no clock from the oscillator'; exit 1; }
figures 4900 20 14.40

# Two at a time: the second waits, and finds the work done.
echo '// and again' >>boards/icebreaker/top.v
touch nextpnr_slow
: >runs
"${build[@]}" >first 2>&1 &
expect 0 '' "${build[@]}"
wait
rm nextpnr_slow
runs_are 1

# Firmware in place of the RAM's contents.
expect 0 'hx8k_b_evn' boards/build hx8k_b_evn hw/mesh/grid-2x2.mesh
patch=(boards/with_firmware hx8k_b_evn grid-2x2)
[ "$(wc -l <build/bitstream/hx8k_b_evn/grid-2x2/image.hex)" -eq 2048 ] || { echo 'the image is not as long as RAM'; exit 1; }
printf '0000006f\n12345678\n' >firmware.hex
expect 0 '' "${patch[@]}" firmware.hex out.bin
[ "$(head -n 2 out.bin | xargs)" = '0000006f 12345678' ] || { echo 'the firmware is not in the bitstream'; exit 1; }
[ "$(wc -l <out.bin)" -eq 2048 ] && [ "$(tail -n +3 out.bin | sort -u)" = 00000000 ] ||
    { echo 'the rest of RAM is not 0'; exit 1; }
rm out.bin*
expect 1 'usage: boards/with_firmware' "${patch[@]}" firmware.hex
expect 1 'nothing.hex: no such file' "${patch[@]}" nothing.hex out.bin
expect 1 'boots from its flash' boards/with_firmware icebreaker grid-2x2 firmware.hex out.bin
echo 'no hex' >>firmware.hex
expect 1 'expected 32-bit words in hex' "${patch[@]}" firmware.hex out.bin
for ((n = 0; n < 2049; n++)); do echo 00000001; done >firmware.hex
expect 1 '2049 words, expected at most 2048' "${patch[@]}" firmware.hex out.bin
echo 00000001 >firmware.hex
touch icebram_blind
expect 2 'the RAM was not found' "${patch[@]}" firmware.hex out.bin
rm icebram_blind
touch icepack_fails
expect 2 'icepack failed' "${patch[@]}" firmware.hex out.bin
[ ! -e out.bin ] && [ ! -e out.bin.asc ] || { echo 'a bitstream was left by tools that failed'; exit 1; }

# The bitstream of a 25F is packed for a 12F as well.
stand_in build/venv/fpga/nextpnr-ecp5 <<'E2'
#!/bin/bash
while [ "$1" != --textcfg ]; do shift; done
echo config >"$2"
cat figures
E2
stand_in build/venv/bin/yowasp-ecppack <<'E2'
#!/bin/bash
echo "${*:1:$#-2}" >"${*: -1}"
E2
cat >figures <<'E2'
Info:          TRELLIS_COMB: 7000/24288    29%
Info:                DP16KD: 38/   56    67%
Info: Max frequency for clock 'clk': 90.00 MHz (PASS at 30.00 MHz)
E2
expect 0 '7000 of 24288 cells' boards/build ulx3s_25f hw/mesh/grid-2x2.mesh
[ "$(cat build/bitstream/ulx3s_25f/grid-2x2/top_12f.bit)" = '--idcode 0x21111043' ] &&
    [ -z "$(cat build/bitstream/ulx3s_25f/grid-2x2/top.bit)" ] || { echo 'a 12F has not its own bitstream'; exit 1; }

# The table of budgets: what is not built, and a README that shows other figures.
expect 1 'is not built' boards/collect
expect 1 'usage: boards/collect' boards/collect --renew
expect 0 '' boards/collect --check
sed -i 's/^icebreaker,grid-2x2,[0-9]*/icebreaker,grid-2x2,1/' boards/budget.csv
expect 1 'run make boards-report' boards/collect --check
cd "$top"
