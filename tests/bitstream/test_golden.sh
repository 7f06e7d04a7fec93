#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The golden image of an iCEBreaker, as a bitstream: simulated beside the flash that `postroad flash` has written, it starts the
# bitstream in the slot. With one wrong bit there, behind a write that was cut, and with an erased slot it shows its line on the
# console, and starts nothing. USB and programmers are imitated.
# usage: test_golden.sh       SEED: which bit
# needs: build/bitstream/icebreaker/golden/top.bin build/postroad build/firmware/node.elf build/tests/bitstream/board_text
# needs: build/tests/host-tools/imitate build/tests/host-tools/real_ttys.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/flash_desk.bash
source tests/host-tools/flash_desk.bash golden
RANDOM=${SEED:-1}
slot=$((0x40000)) slot_bytes=$((0x22000))
line='golden image: the bitstream is damaged (postroad flash)'
pins=(SB_WARMBOOT.BOOT SB_WARMBOOT.S1 SB_WARMBOOT.S0)

# vector NUMBER: the address in this vector of the header at 0, of the command 0x44 0x03.
vector() { echo $((0x$(od -An -v -tx1 -j $((32 * $1 + 9)) -N 3 "$desk/content" | tr -d ' \n'))); }

# shows TEXT PINS WHAT: what a board with this flash shows in the first 0.4 s: the bitstream that power-on starts, simulated.
shows() {
    local got
    tail -c "+$(($(vector 0) + 1))" "$desk/content" | head -c 104090 >"$desk/image.bin"
    printf '[board a]\ntype = icebreaker\nbitstream = image.bin\nflash = content\n' >"$desk/simulated.ini"
    got=$(timeout 300 build/tests/bitstream/board_text "$desk/simulated.ini" 400 "${pins[@]}" 2>&1 | sed '/^first byte/d')
    [ "$got" = "$1$(printf '%s: %s\n' "${pins[0]}" "${2:0:1}" "${pins[1]}" "${2:1:1}" "${pins[2]}" "${2:2:1}")" ] ||
        fault "$3: $got"
}

# change ADDRESS BYTES: of the flash
change() { printf '%b' "$2" | dd of="$desk/content" bs=1 seek="$1" conv=notrunc status=none; }

boards_on_desk icebreaker 0403:6010 2x1 2 1
sed -i "/^type/a golden = $PWD/build/bitstream/icebreaker/golden/top.bin" "$desk/testbed.ini"
flash 0
"$desk/bin/iceprog" -d d:001/008 -I A -R $((slot + slot_bytes)) "$desk/content" >/dev/null 2>&1 || fault 'iceprog'
cp "$desk/content" "$desk/written"
[ "$(vector 2)" = $slot ] || fault "image 1 is at $(vector 2), expected the slot at $slot"
shows '' 101 'a bitstream as it was written'
wrong=$((slot + RANDOM * 4 % slot_bytes))
byte=$(od -An -tu1 -j $wrong -N 1 "$desk/content")
change $wrong "\\x$(printf %x $((byte ^ 1 << RANDOM % 8)))"
shows "$line"$'\n'"$line"$'\n' 001 "a wrong bit in byte $wrong"
head -c $((slot + 50000)) "$desk/written" >"$desk/content"
shows "$line"$'\n'"$line"$'\n' 001 'a write that was cut'
head -c $slot "$desk/written" >"$desk/content"
shows "$line"$'\n'"$line"$'\n' 001 'an erased slot'
[ $faults = 0 ] && echo 'all good'
[ $faults = 0 ]
