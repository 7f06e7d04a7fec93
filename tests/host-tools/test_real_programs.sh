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
declare -A descriptors=(
    [hub]='1201000209000040 E305 0806 0001 00000001 090219000101 00E032 090400000109000000 0705810301000C'
    [ft2232h]='1201000200000040 0304 1060 0007 01020301 090237000201 0080FA
        0904000002FFFFFF02 07058102000200 07050202000200 0904010002FFFFFF02 07058302000200 07050402000200'
    [ft231x]='1201000200000008 0304 1560 0010 01020301 090220000101 00802D 0904000002FFFFFF02 07058102400000 07050202400000'
    [dfu]='1201000200000040 501D 4B61 0001 01020301 09021B000101 008032 0904000000FE010200 092105000100101001'
)

# attributes KIND: what libusb reads of such a device
attributes() { echo "H: descriptors=${descriptors[$1]//[[:space:]]/}\nA: bConfigurationValue=1\nA: speed=480"; }

# describe KIND: the devices on the bus say this of themselves.
describe() {
    sed -i -e "s|^N: bus/.*|&=${descriptors[$1]//[[:space:]]/}\n$(attributes "$1")|" \
        -e "s|^A: idVendor=05e3|&\n$(attributes hub)|" "$desk/bus"
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

# desk_of TYPE USB-IDS KIND [CONSOLE-INTERFACE]: two boards, in place of those of another check.
desk_of() {
    [ -z "${consoles:-}" ] || { kill "$consoles"; wait "$consoles"; } 2>/dev/null
    rm -rf "$desk/boards" "$desk/ttys" "$desk/consoles"
    mkdir "$desk/boards" "$desk/ttys"
    boards_on_desk "$1" "$2" 2x1 2 "${4:-0}"
    describe "$3"
}

# What iceprog prints, line by line, without what depends on bytes and their number.
texts() {
    tr '\r' '\n' <"$1" | grep -vE '^ *$|^addr |^erase |^flash ID: |umockdev'
}

# compare_texts FAULT IMITATED-FAULT ARGUMENT...: of the real iceprog and of the imitated one.
compare_texts() {
    local real=$1 imitated=$2
    shift 2
    strike 0 "$real"
    on_desk iceprog -d d:001/008 -I A "$@" 2>"$desk/real"
    strike 0 any "$imitated"
    "$desk/bin/iceprog" -d d:001/008 -I A "$@" 2>"$desk/imitated"
    strike 0
    diff <(texts "$desk/real") <(texts "$desk/imitated") || fault "iceprog $* ($real) prints otherwise"
}

check_iceprog() {
    desk_of icebreaker 0403:6010 ft2232h 1
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
    compare_texts none none -o 0 -i 4 "$desk/top.bin"
    compare_texts weak\ 0x1004 verify -o 0 -i 4 "$desk/top.bin"
    compare_texts none none -o 0 -R 256 "$desk/dump"
}

# ecp5_bitstream SEED: as ecppack begins and ends one.
ecp5_bitstream() {
    local part
    part=$(printf 'Part: LFE5U-25F-6CABGA381\0' | od -An -v -tx1 | tr -d ' \n')
    bitstream "ff00${part}ffffffbdb3ffffffff3b000000e200000041111043" 5e000000ffffffff 20000 "$1" >"$desk/top.bin"
}

check_openfpgaloader() {
    desk_of ulx3s_25f 0403:6015 ft231x
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

# A board that dfu-util writes, of a kit that has one; its node answers as what was in the flash before.
check_dfu_util() {
    local kit=$desk/kit board=$desk/kit/share/postroad/boards/by_dfu
    desk_of ulx3s_25f 0403:6015 ft231x
    ecp5_bitstream 1
    flash 0
    mkdir -p "$kit/bin" "$kit/lib/postroad" "$board"
    cp build/postroad "$kit/bin"
    ln -s "$PWD/build/firmware" "$kit/lib/postroad"
    sed -E -e 's/^(programmer =).*/\1 dfu-util/; s/^(usb =).*/\1 1d50:614b/; s/^(options =).*/\1 -a 0/' \
        -e 's/^(console_interface =).*/\1 0/' boards/colorlight_i5/board.conf >"$board/board.conf"
    local postroad=$kit/bin/postroad
    sed -i 's/ulx3s_25f/by_dfu/' "$desk/testbed.ini"
    sed -i "s/${descriptors[ft231x]//[[:space:]]/}/${descriptors[dfu]//[[:space:]]/}/; s/=0403/=1d50/; s/=6015/=614b/" "$desk/bus"
    patience=60
    flash 0
    fails 2 'loads bitstream: dfu-util: the USB connection was lost' lost 6
    fails 2 'loads bitstream: dfu-util: DFU state.*File is not targeted for use by this device' refuse
    fails 2 'loads bitstream: dfu-util: another program has the board' taken
    flash 0
}

[ $# -gt 0 ] || set -- iceprog openfpgaloader dfu_util
for check in "$@"; do
    "check_$check"
done
[ $faults = 0 ] && echo 'all good'
[ $faults = 0 ]
