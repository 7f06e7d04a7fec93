#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# postroad flash with iceprog (iCEBreaker), and with openFPGALoader into the RAM of a board (Colorlight i5), where DONE may stay
# low and the exit code is 0. Boards are imitated.
# needs: build/postroad build/firmware/node.elf build/tests/host-tools/imitate build/tests/host-tools/real_ttys.so
# needs: build/bitstream/icebreaker/golden/top.bin
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/flash_desk.bash
source tests/host-tools/flash_desk.bash flash-programmers

boards_on_desk icebreaker 0403:6010 2x1 2 1
openssl genpkey -algorithm ed25519 -out "$desk/bench.key"
openssl pkey -in "$desk/bench.key" -pubout -out "$desk/bench.pub"
sed -i 's/^mesh = .*/&\nkey = bench.pub\noldest = 1/' "$desk/testbed.ini"
flash 0 --dry-run
[ "$(grep -c '^b0: iceprog -d d:001/008 -I A -o 0 -i 4 FOLDER/b0-\(clear\|2\).bin$' "$desk/out")" = 2 ] ||
    fault "the bitstream is not cleared, and written: $(cat "$desk/out")"
in_output out '^b1: iceprog -d d:001/009 -I A -o 3014656 -R 256 FOLDER/b1-read.bin$'
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
strike 0 any mute
flash 2 --only b0
in_output err 'b0: reads the label: iceprog.*: the flash chip does not answer: its id is all ones'
strike 0 any small
flash 2 --only b0
in_output err 'b0: measures the flash: its flash is too small, expected 4 MB or more: what is written to 0x2e0000 is at 0xe0000'
strike 0
flash 0

# A golden image: at 0, the bitstream in its slot. It is written once, and not again. Whenever the lock is written anew, no cut
# leaves a board that starts without one.
touch "$desk/boards/1-8/guard"
golden=$PWD/build/bitstream/icebreaker/golden/top.bin
cp "$desk/testbed.ini" "$desk/plain.ini"
sed -i "/^type/a golden = $golden" "$desk/testbed.ini"
sed -i 's/^oldest = .*/oldest = 2/' "$desk/testbed.ini"
sed -i 's/^oldest = .*/oldest = 3/' "$desk/plain.ini"
flash 0 --dry-run
[ "$(grep -n -o 'b0-0.bin\|-R 104250' "$desk/out" | head -n 2 | cut -d : -f 2 | tr '\n' ' ')" = '-R 104250 b0-0.bin ' ] ||
    fault "the golden image is not read before it is written: $(cat "$desk/out")"
flash 0
[ "$(grep -c ' written ' "$desk/out")" = 2 ] || fault "not 2 boards are written: $(cat "$desk/out")"
# inspect_b0 STATUS: what its flash holds
inspect_b0() {
    local status=0
    "$desk/bin/iceprog" -d d:001/008 -I A -R 3300000 "$desk/dump" >/dev/null 2>&1
    build/postroad inspect "$desk/dump" >"$desk/out" 2>"$desk/err" || status=$?
    [ $status = "$1" ] || fault "inspect: exit status $status, expected $1: $(cat "$desk/out" "$desk/err")"
}
inspect_b0 0
in_output out '^golden image; the bitstream in its slot is good$'
cmp -n "$(stat -c %s "$golden")" "$golden" "$desk/dump" || fault 'the golden image is not at 0'
cmp -n "$(stat -c %s "$desk/top.bin")" "$desk/top.bin" <(tail -c +$((0x40001)) "$desk/dump") ||
    fault 'the bitstream is not in its slot'
printf x | dd of="$desk/boards/1-8/flash" bs=1 seek=$((0x40100)) conv=notrunc status=none
inspect_b0 3
in_output out '^golden image; the bitstream in its slot is missing or damaged$'
rm "$desk/boards/1-8/calls"
flash 0 --only b0 --verify
in_output err 'b0: bitstream differs from its label; written again'
! grep -q ' write 0$' "$desk/boards/1-8/calls" || fault "the golden image was written again: $(cat "$desk/boards/1-8/calls")"
inspect_b0 0
printf x | dd of="$desk/boards/1-8/flash" bs=1 seek=$((0x100)) conv=notrunc status=none
flash 0 --only b0 --verify
in_output err 'b0: golden image differs from its label; written again'
grep -q ' write 0$' "$desk/boards/1-8/calls" || fault 'a damaged golden image stays'
# A cut in the bitstream: the golden image is whole, and the next run mends.
strike 0 write signal
flash 2 --only b0 --force
strike 0
flash 0 --only b0
inspect_b0 0
# Wrong files, and a board whose FPGA has no second bitstream.
sed -i "s|^golden = .*|golden = top.bin|" "$desk/testbed.ini"
flash 1 --only b0
in_output err 'b0: .*/top.bin: expected a golden image, of `make golden`'
truncate -s 200000 "$desk/top.bin"
sed -i "s|^golden = .*|golden = $golden|" "$desk/testbed.ini"
flash 1 --only b0
in_output err 'b0: .*/top.bin: too long for the slot behind a golden image'
truncate -s 100001 "$desk/top.bin"
sed 's/icebreaker$/ulx3s_25f/' "$desk/testbed.ini" >"$desk/ecp5.ini"
on_desk build/postroad flash "$desk/ecp5.ini" --only b0 >"$desk/out" 2>"$desk/err" && fault 'a golden image for an ECP5'
in_output err 'b0: .*/golden/top.bin: it is for boards with an iCE40'
# Back to a board without one.
mv "$desk/plain.ini" "$desk/testbed.ini"
flash 0
inspect_b0 0
! grep -q '^golden' "$desk/out" || fault 'there is still a golden image'
in_output out '^locked: .* from 3 on$'
flash 0 --only b0 --force
[ ! -s "$desk/boards/1-8/guard" ] || fault "half-written: $(sort "$desk/boards/1-8/guard" | uniq -c)"

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
# A key locks what a boot ROM starts, and this board has none.
flash 0 --only b0 --dry-run
in_output err "b0 has no boot ROM: the testbed's key does not lock it"
grep -q ' load 0$' "$desk/boards/1-8/calls" || fault "no load: $(cat "$desk/boards/1-8/calls")"
[ $faults = 0 ] && echo 'all good'
[ $faults = 0 ]
