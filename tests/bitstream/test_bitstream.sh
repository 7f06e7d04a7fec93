#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The packed bitstream of a board against its Verilog: with the same firmware both print the same text, and begin at the same
# clock. Bits of its configuration are flipped, one at a time, until the text or its clock is another, or the bitstream is
# refused.
# usage: test_bitstream.sh
# environment: SEED (1) chooses the bits
# needs only: build/bitstream/hx8k_b_evn/grid-2x2/report build/tests/bitstream/board_text build/tests/bitstream/rtl_text/rtl_text
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

source tests/work.bash
board=hx8k_b_evn
flips=24
RANDOM=${SEED:-1}

# The text of a bitstream file, in 2 ms: 24 000 clocks.
text_of() {
    printf '[board a]\ntype = %s\nbitstream = %s\n' "$board" "$1" >"$work/testbed.ini"
    timeout 120 build/tests/bitstream/board_text "$work/testbed.ini" 2 2>&1 | tr '\0' 0
}

# A program that prints and adds up its own data: the machine code of tests/bitstream/board_text/print.S.
riscv64-unknown-elf-gcc -march=rv32i -misa-spec=2.2 -mabi=ilp32 -nostdlib -Wl,-Ttext=0x80000000 -o "$work/print.elf" \
    tests/bitstream/board_text/print.S || exit 1
riscv64-unknown-elf-objcopy -O binary "$work/print.elf" "$work/print.bin"
od -An -v -tx4 -w4 "$work/print.bin" | tr -d ' ' >"$work/print.hex"

boards/with_firmware "$board" grid-2x2 "$work/print.hex" "$work/print.bit.bin" || exit 1
expected=$(build/tests/bitstream/rtl_text/rtl_text 24000 "+firmware=$work/print.hex" | tr -d '\r')
grep -q 'printed by a bitstream' <<<"$expected" || fail "the Verilog prints '$expected'"
got=$(text_of "$work/print.bit.bin")
[ "$got" = "$expected" ] || fail "the bitstream prints '$got', expected '$expected'"

# Clears the Nth bit that is set in a logic tile: of a look-up table, a flop's setting or a switch. Without N it counts them.
logic_bits() {
    awk -v chosen="${1:-0}" '
        /^\./ { logic = /^\.logic_tile/ }
        logic && /^[01]+$/ {
            for (i = 1; i <= length($0); i++)
                if (substr($0, i, 1) == "1" && ++seen == chosen)
                    $0 = substr($0, 1, i - 1) "0" substr($0, i + 1)
        }
        chosen { print }
        END { if (!chosen) print seen }' "$work/print.bit.bin.asc"
}

# Most bits are of the fabric and the network_interface, which this program does not use.
set_bits=$(logic_bits)
for ((tried = 1; tried <= flips; tried++)); do
    logic_bits $(((RANDOM * 32768 + RANDOM) % set_bits + 1)) >"$work/flipped.asc"
    [ "$(text_of "$work/flipped.asc")" = "$got" ] || break
done
echo "flipped bits until one changes the text: $tried"
[ $tried -le $flips ] || fail "no flipped bit of $flips changes the text"

verdict test_bitstream
