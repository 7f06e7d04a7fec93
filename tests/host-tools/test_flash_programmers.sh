#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# postroad flash with iceprog (iCEBreaker), and with openFPGALoader into the RAM of a board (Colorlight i5), where DONE may stay
# low and the exit code is 0. Boards are imitated.
# needs: build/postroad build/firmware/node.elf build/tests/host-tools/fake_programmer build/tests/host-tools/fake_consoles
# needs: build/tests/host-tools/real_ttys.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/flash/desk.bash
source tests/host-tools/flash/desk.bash flash-programmers

boards_on_desk icebreaker 0403:6010 2x1 2 1
flash 0 --dry-run
in_output out '^b0: iceprog -d d:1/8 -I A -o 0 -i 4 FOLDER/b0-0.bin$'
in_output out '^b1: iceprog -d d:1/9 -I A -o 3014656 -R 256 FOLDER/b1-read.bin$'
flash 0
flash 0 --verify
[ "$(grep -c ' was right ' "$desk/out")" = 2 ] || fault "not 2 boards were right: $(cat "$desk/out")"
strike 0 write verify
flash 3 --only b0 --force
in_output err 'b0: clears the label: iceprog: the flash differs from what was written'
strike 0 bitstream lost
flash 2 --only b0 --force
in_output err 'iceprog: the USB connection was lost'
strike 0 any busy
flash 2 --only b0 --force
in_output err 'the board is gone, or another program or driver has it'
strike 0
flash 0

# One DAPLink; the other board is away.
sed -i 's/^type = icebreaker/type = colorlight_i5/' "$desk/testbed.ini"
sed -i 's/idVendor=0403/idVendor=0d28/; s/idProduct=6010/idProduct=0204/' "$desk/bus"
flash 2
in_output err 'b0: 2 DAPLinks are plugged in, and openFPGALoader cannot choose among them'
sed -i '/^P:.*1-1\.2$/,/^$/d' "$desk/bus"
strike 0 load done_low
flash 3 --only b0
in_output err 'b0: loads bitstream: openFPGALoader ended with 0, but the FPGA has not started: DONE is low'
strike 0
flash 0 --only b0
grep -q ' load 0$' "$desk/boards/1-8/calls" || fault "no load: $(cat "$desk/boards/1-8/calls")"
[ $faults = 0 ] && echo 'all good'
[ $faults = 0 ]
