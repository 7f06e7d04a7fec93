#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# build/generate_board: the parameters of a bitstream, and clear errors for a wrong board.conf, a mesh that a board cannot carry,
# and wrong arguments; a file that it cannot finish stays as it was.
# needs only: build/generate_board
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/expect.bash

top=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/boards/desk"
cp boards/icebreaker/board.conf "$work/boards/desk/"
cp hw/mesh/grid-2x2.mesh "$work/mesh"
cd "$work"

generate() {
    "$top/build/generate_board" "$@"
}

# conf TEXT SCRIPT: the error for a board.conf that the sed script has changed.
conf() {
    sed -i "$2" boards/desk/board.conf
    ! cmp -s boards/desk/board.conf "$top/boards/icebreaker/board.conf" || { echo "'$2' changes nothing"; exit 1; }
    expect 1 "$1" generate desk --list
    cp "$top/boards/icebreaker/board.conf" boards/desk/
}

# mesh_of TEXT SCRIPT: as conf, of the mesh.
mesh_of() {
    sed "$2" "$top/hw/mesh/grid-2x2.mesh" >mesh
    ! cmp -s mesh "$top/hw/mesh/grid-2x2.mesh" || { echo "'$2' changes nothing"; exit 1; }
    expect 1 "$1" generate desk mesh -o out
}

expect 1 'usage: generate_board' generate
expect 1 "unexpected argument: '--fast'" generate desk mesh --fast
expect 1 "unexpected argument: 'third'" generate desk mesh third -o out
expect 1 "expected a value behind: '-o'" generate desk mesh -o
expect 1 "expected: 'BOARD FILE.mesh -o OUT.vh'" generate desk mesh
expect 1 "expected: 'BOARD --list'" generate desk mesh --list
expect 0 'usage: generate_board' generate --help
expect 1 "there is no board 'table', expected one of: desk" generate table mesh -o out
expect 1 "there is no board '../boards/desk'" generate ../boards/desk mesh -o out
expect 1 "there is no board ''" generate '' mesh -o out
expect 1 'nothing: No such file or directory, expected a .mesh file' generate desk nothing -o out
expect 0 'board.title=iCEBreaker' generate desk --list
expect 0 'flash.bytes=16777216' generate desk --list

conf "boards/desk/board.conf:5: family is 'ice40', expected one of: ice40-hx8k" 's/^family.*/family = ice40/'
conf "family is 'hx8k ecp5-25k', expected" 's/^family.*/family = hx8k ecp5-25k/'
conf "clock_hz is '12 MHz', expected a number from 1000000 to 200000000" 's/^clock_hz.*/clock_hz = 12 MHz/'
conf "clock_hz is '0'" 's/^clock_hz.*/clock_hz = 0/'
conf 'link_ratio is 3, expected 1, 2 or 4' 's/^link_ratio.*/link_ratio = 3/'
conf "baud is 5000000, expected a rate that a clock of 12000000 Hz" 's/^baud.*/baud = 5000000/'
conf "baud is '0', expected a number from 1200" 's/^baud.*/baud = 0/'
conf "eager_links is '2', expected a number from 0 to 1" 's/^eager_links.*/eager_links = 2/'
conf 'unknown key colour in [board]' 's/^title/colour = red\n&/'
conf 'unknown key title in [desk]' 's/^\[board\]/[desk]/'
conf 'title is given twice, expected once: first in line 4' 's/^title.*/&\n&/'
conf 'title has 0 characters' 's/^title.*/title =/'
conf 'no south in [connectors]' '/^south/d'
conf 'expected [section], key = value or ; comment' 's/^title.*/title/'
conf 'ram_bytes is 65000, expected a power of two' 's/^ram_bytes.*/ram_bytes = 65000/'
conf '3276799 bytes of flash, expected room for two images of 65536 bytes at 0x300000' 's/^bytes.*/bytes = 3276799/'
conf "usb is '403:6010', expected vendor and product as in 0403:6010" 's/^usb.*/usb = 403:6010/'
conf "programmer is 'ice', expected one of: iceprog openFPGALoader dfu-util" 's/^programmer.*/programmer = ice/'
conf "memory is 'ram', expected flash: firmware of this board comes from there" 's/^memory.*/memory = ram/'
conf "memory is 'ram', expected flash: iceprog writes no other" 's/^memory.*/memory = ram/; s/^boot .*/boot = image/'
conf "memory is 'flash', expected ram: dfu-util writes no other" \
    's/^programmer .*/programmer = dfu-util/; s/^boot .*/boot = image/'
conf "console_interface is '8', expected a number from 0 to 7" 's/^console_interface.*/console_interface = 8/'
conf "probes is '9', expected a number from 0 to 8" 's/^probes.*/probes = 9/'
conf 'a line of more than' "s/^title.*/title = $(printf 'x%.0s' {1..300})/"

mesh_of 'mesh: 129 words a packet, expected at most 128 on iCEBreaker' 's/^max_packet.*/max_packet = 129/'
mesh_of 'board = yes with word_width 32, expected 16' 's/^size.*/&\nword_width = 32/'
mesh_of 'mesh: links of a chip, expected [links] board = yes: iCEBreaker has cables' 's/^board = .*/board = no/'
mesh_of 'mesh: [links] board = eager, expected yes: iCEBreaker has the shared engine' 's/^board = .*/board = eager/'
mesh_of 'mesh: 16 words in a net_input, expected at most 1' 's/^max_packet.*/&\nnet_input = 16/'
mesh_of 'mesh: 72 sites, expected at most 64' 's/^size.*/size = 9x8/'
mesh_of 'mesh: 3 links a site, expected 4' 's/^topology.*/topology = hypercube/; s/^size.*/dimensions = 3/'
mesh_of 'abort 128 with board = yes, expected more than the 144 clocks of a word' 's/^max_packet.*/&\n[thresholds]\nabort = 128/'
mesh_of 'mesh:10: probe = yes, expected board = yes too' 's/^board = yes/board = no\nprobe = yes/'
sed -i 's/^probes.*/probes = 0/' boards/desk/board.conf
mesh_of 'mesh: probe = yes, expected no: iCEBreaker has no free pins for a logic analyser' 's/^board = yes/&\nprobe = yes/'
cp "$top/boards/icebreaker/board.conf" boards/desk/
sed -i 's/^side.*/side = 2/' boards/desk/board.conf
mesh_of 'mesh: 2x3 sites, expected a multiple of 2 each way: iCEBreaker has so many a side' 's/^size.*/size = 2x3/'
cp "$top/boards/icebreaker/board.conf" boards/desk/
mesh_of 'mesh:6: size is 2by2' 's/^size.*/size = 2by2/'
[ ! -e out ] || { echo 'a file was left for a mesh that is refused'; exit 1; }

# What is written has the board's clock, and no strap of a site: they come from the site record.
cp "$top/hw/mesh/grid-2x2.mesh" mesh
sed -i 's/^clock_hz.*/clock_hz = 19088743/' boards/desk/board.conf
generate desk mesh --image ram.hex --boot-image rom.hex -o out
width=$(sed -n 's/^`define POSTROAD_STRAPS //p' "$top/hw/protocol/straps.vh")
read_straps() {
    straps=$(sed -n "s/.*MESH_STRAPS($width'h\([0-9a-f]*\)).*/\1/p" out)
    [ ${#straps} -eq $((width / 4)) ] || { echo "straps of ${#straps} digits, expected $((width / 4))"; exit 1; }
}
# strap NAME: its value.
strap() {
    local bits high low
    bits=$(sed -n "s/^\`define POSTROAD_STRAP_$1 //p" "$top/hw/protocol/straps.vh")
    high=${bits%:*} low=${bits#*:}
    echo $((0x${straps:$((width / 4 - 1 - high / 4)):$((high / 4 - low / 4 + 1))} >> low % 4 & (1 << (high - low + 1)) - 1))
}
read_straps
[ "$(strap CLOCK_HZ)" = 19088743 ] || { echo "clock_hz is $(strap CLOCK_HZ)"; exit 1; }
[ "$(strap LINK_CLOCKS)" = 144 ] || { echo "link_clocks is $(strap LINK_CLOCKS), expected 144"; exit 1; }
[ "$(strap MAX_PACKET)" = 56 ] || { echo "max_packet is $(strap MAX_PACKET)"; exit 1; }
for name in SITE_ADDRESS SITE_NUMBER LINKS_CONNECTED EPOCH; do
    [ "$(strap "$name")" = 0 ] || { echo "$name, a strap of a site, is not 0"; exit 1; }
done
expect 0 'RAM_BYTES(65536), .CPU("serv"), .CLOCK_HZ(19088743), .BAUD(1000000), .LINK_RATIO(1), .EAGER_LINKS(0)' cat out
expect 0 '.IMAGE(""), .BOOT_IMAGE("rom.hex")' cat out
sed -i 's/^boot = .*/boot = image/; s/^eager_links = 0/eager_links = 1/; s/^link_ratio = 1/link_ratio = 4/' boards/desk/board.conf
generate desk mesh --image ram.hex --boot-image rom.hex -o out
expect 0 '.IMAGE("ram.hex"), .BOOT_IMAGE("")' cat out
expect 0 '.LINK_RATIO(4), .EAGER_LINKS(1)' cat out
read_straps
[ "$(strap LINK_CLOCKS)" = 36 ] || { echo "link_clocks is $(strap LINK_CLOCKS), expected 36"; exit 1; }

# Probe pins: as many as the board has, and not a word about them for a mesh without.
! grep -q PROBES out || { echo 'probes of a mesh without'; exit 1; }
sed -i 's/^board = yes/&\nprobe = yes/' mesh
generate desk mesh -o out
expect 0 '.PROBES(5)' cat out

# Where the file cannot be written, there is no half of it.
expect 2 'nowhere/out: No such file' generate desk mesh -o nowhere/out
cp out before
expect 2 'out' bash -c "ulimit -f 0; trap '' XFSZ; '$top/build/generate_board' desk mesh -o out"
cmp -s out before && [ ! -e out.new ] || { echo 'a file that could not be finished has changed'; exit 1; }
