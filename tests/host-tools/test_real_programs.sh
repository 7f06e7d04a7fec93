#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# postroad flash with the real iceprog and the real openFPGALoader, at an FT2232H and an FT231X that are imitated below libusb
# (usb/usb.h): from erased flashes to nodes that answer, and faults of flash, FPGA and cable. dfu-util, which writes no board of
# boards/, is called as flash would call it.
# usage: test_real_programs.sh [CHECK...]      default: all of them, see the end
# needs: build/postroad build/firmware/node.elf build/tests/host-tools/imitate build/tests/host-tools/real_ttys.so
# needs: build/tests/host-tools/usb.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/flash_desk.bash
source tests/host-tools/flash_desk.bash real-programs

# Descriptors, as hexadecimal digits: of the device, of its configuration, then of each interface with its endpoints.
ft2232h='12010002000000400304106000070102030109023700020100 80FA 0904000002FFFFFF02 07058102000200 07050202000200
    0904010002FFFFFF02 07058302000200 07050402000200'
ft231x='12010002000000080304156000100102030109022000010100 802D 0904000002FFFFFF02 07058102400000 07050202400000'
dfu='120100020000004050 1D4B61000101020301 09021B00010100 8032 0904000000FE010200 092107000100101001'

# describe DIGITS: the devices on the bus say this of themselves.
describe() {
    local digits=${1//[[:space:]]/}
    sed -i "s|^N: bus/.*|&=$digits\nH: descriptors=$digits\nA: bConfigurationValue=1\nA: speed=480|" "$desk/bus"
}

# The programs are the real ones.
on_desk() {
    # shellcheck disable=SC2016  # the inner shell's
    umockdev-run --device "$desk/bus" -- bash -c 'LD_PRELOAD=$0:$LD_PRELOAD exec "$@"' \
        "$PWD/build/tests/host-tools/usb.so:$PWD/build/tests/host-tools/real_ttys.so" "$@"
}

# bytes DIGITS: as hexadecimal digits.
# shellcheck disable=SC2059  # the format is made here
bytes() { printf "$(sed 's/../\\x&/g' <<<"$1")"; }

# bitstream HEAD TAIL SIZE SEED: what the FPGA looks at, and between it what it does not.
bitstream() {
    bytes "$1"
    awk -v seed="$4" -v size="$3" 'BEGIN { for (k = 0; k < size / 10; k++) printf "%05d%05d", seed, k }'
    bytes "$2"
}

# fails STATUS TEXT FAULT...: board b0 with this fault.
fails() {
    local status=$1 text=$2
    shift 2
    strike 0 "$@"
    flash "$status" --only b0 --force --timeout "$patience" --hello 0.5
    in_output err "b0: $text"
    strike 0
}

# check_whole: erased boards are written, are right, and are mended where they differ.
check_whole() {
    flash 0
    [ "$(grep -Ec '^b[01] .* written ' "$desk/out")" = 2 ] || fault "not written: $(cat "$desk/out")"
    FAKE_BOARDS=$desk/boards "$desk/bin/iceprog" -d d:001/009 -R "$(stat -c %s "$desk/top.bin")" "$desk/dump" 2>/dev/null
    cmp "$desk/dump" "$desk/top.bin" || fault 'the flash does not hold the bitstream'
    flash 0
    [ "$(grep -c ' was right ' "$desk/out")" = 2 ] || fault "not right: $(cat "$desk/out")"
    printf '\125' | dd of="$desk/boards/1-9/flash" bs=1 seek=77 conv=notrunc status=none
    flash 0 --verify
    in_output err 'b1: bitstream differs from its label; written again'
    ! grep -q '^b0.*written' "$desk/out" || fault "b0, too, is written: $(cat "$desk/out")"
}

# desk_of TYPE USB-IDS DESCRIPTORS [CONSOLE-INTERFACE]: two boards, in place of those of another check.
desk_of() {
    [ -z "${consoles:-}" ] || { kill "$consoles"; wait "$consoles"; } 2>/dev/null
    rm -rf "$desk/boards" "$desk/ttys" "$desk/consoles"
    mkdir "$desk/boards" "$desk/ttys"
    boards_on_desk "$1" "$2" 2x1 2 "${4:-0}"
    describe "$3"
}

check_iceprog() {
    desk_of icebreaker 0403:6010 "$ft2232h" 1
    bitstream ff0000ff7eaa997e 0000 20000 1 >"$desk/top.bin"
    check_whole
    bitstream ff0000ff7eaa997e 0000 20000 2 >"$desk/top.bin"
    patience=60
    fails 3 'writes bitstream: iceprog: the flash differs from what was written' weak 0x1004
    fails 2 'writes .*: iceprog: the USB connection was lost' lost 3000
    fails 2 'clears the label: iceprog: .*another program or driver has it' taken
    fails 3 'waits for the node: no hello .*: the FPGA has not started, its DONE is low' done_low
    patience=2
    fails 5 'clears the label: no sign of life of iceprog for 2 s' no_flash
    fails 5 'clears the label: no sign of life of iceprog for 2 s' flash_busy
    flash 0
}

# ecp5_bitstream SEED: as ecppack begins and ends one.
ecp5_bitstream() {
    bitstream ff00"$(printf 'Part: LFE5U-25F-6CABGA381\0' | od -An -v -tx1 | tr -d ' \n')"ffffffbdb3ffffffff3b000000e200000041111043 \
        5e000000ffffffff 20000 "$1" >"$desk/top.bin"
}

check_openfpgaloader() {
    desk_of ulx3s_25f 0403:6015 "$ft231x"
    ecp5_bitstream 1
    check_whole
    ecp5_bitstream 2
    patience=60
    fails 3 'reads bitstream: the flash differs from what was written' weak 0x1004
    fails 2 'clears the label: openFPGALoader: .*Unknown device with IDCODE: 0x12345679' idcode 0x12345679
    fails 3 'waits for the node: no hello .*: the FPGA has not started, its DONE is low' done_low
    fails 2 'clears the label: openFPGALoader: the flash stays busy' flash_busy
    fails 2 '.*openFPGALoader' lost 200
    fails 2 'clears the label: openFPGALoader: another program' taken
    flash 0
}

[ $# -gt 0 ] || set -- iceprog openfpgaloader
for check in "$@"; do
    "check_$check"
done
[ $faults = 0 ] && echo 'all good'
[ $faults = 0 ]
