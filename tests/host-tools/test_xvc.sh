#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# postroad flash with the real openFPGALoader: its xvc-client at JTAG servers, behind which an ECP5 and its serial flash are
# imitated. From an erased flash to a node that answers; then faults of the flash, the FPGA and the connection, of
# which openFPGALoader reports some with exit code 0. And what the imitated one prints in its place is what it prints.
# needs: build/postroad build/firmware/node.elf build/tests/host-tools/imitate
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/flash_desk.bash
source tests/host-tools/flash_desk.bash xvc
servers=()
patience=60

end_servers() {
    kill "${servers[@]}" 2>/dev/null
    wait "${servers[@]}" 2>/dev/null
    tidy_up
}
trap end_servers EXIT

# bytes HEX...: so many bytes.
# shellcheck disable=SC2059  # the format is made here
bytes() { printf "$(printf '\\x%s' "$@")"; }

# bitstream IDCODE SEED: as ecppack begins and ends one; in the middle 16 KB that no FPGA looks at.
bitstream() {
    bytes ff 00
    printf 'Part: LFE5U-25F-6CABGA381\0'
    bytes ff ff ff bd b3 ff ff ff ff 3b 00 00 00 e2 00 00 00 "${1:0:2}" "${1:2:2}" "${1:4:2}" "${1:6:2}"
    awk -v seed="$2" 'BEGIN { for (k = 0; k < 1638; k++) printf "%05d%05d", seed, k }'
    bytes 5e 00 00 00 ff ff ff ff
}

# start_server K
start_server() {
    local folder=$desk/boards/xvc-$1
    rm -f "$folder/port"
    build/tests/host-tools/imitate jtag "$folder" <>"$desk/consoles" &
    servers[$1]=$!
    await_text "$folder/port" .
}

# write_testbed TYPE: the boards at the servers that run.
write_testbed() {
    local k
    printf '[testbed]\nmesh = grid.mesh\n'
    for k in 0 1; do
        printf '[board b%d]\ntype = %s\nsite = %d\nprobe = xvc:localhost:%d\nconsole = tty:%s\nbitstream = top.bit\n' $k "$1" $k \
            "$(cat "$desk/boards/xvc-$k/port")" "$desk/boards/xvc-$k/tty"
    done
}

begin() {
    printf '[mesh]\ntopology = grid\nsize = 2x1\n[links]\nboard = yes\n[buffers]\nmax_packet = 56\n' >"$desk/grid.mesh"
    bitstream 41111043 1 >"$desk/top.bit"
    mkdir "$desk/boards/xvc-0" "$desk/boards/xvc-1"
    start_consoles xvc-0 xvc-1
    start_server 0
    start_server 1
    write_testbed ulx3s_25f >"$desk/testbed.ini"
}

# No imitated programmers, and no USB bus.
on_desk() { "$@"; }

# strike KIND [NUMBER]: the fault of board b0; none: heals it.
strike() {
    rm -f "$desk/boards/xvc-0/fault"
    [ $# = 0 ] || echo "$*" >"$desk/boards/xvc-0/fault"
}

clients_of() { wc -l <"$desk/boards/xvc-$1/shifts"; }

check_whole() {
    local before
    flash 0 # from erased flashes, from which no FPGA starts
    [ "$(grep -Ec '^b[01] +[01] +xvc:localhost:[0-9]+ +written ' "$desk/out")" = 2 ] || fault "not written: $(cat "$desk/out")"
    before=$(clients_of 0)
    flash 0
    [ "$(grep -c ' was right ' "$desk/out")" = 2 ] || fault "not right: $(cat "$desk/out")"
    [ $(($(clients_of 0) - before)) = 1 ] || fault "a board that is right has $(($(clients_of 0) - before)) clients"
    printf '\125' | dd of="$desk/boards/xvc-1/flash" bs=1 seek=77 conv=notrunc status=none
    flash 0 --verify
    in_output err 'b1: bitstream differs from its label; written again'
    build/postroad inspect "$desk/testbed.ini" >"$desk/out" 2>"$desk/err" || fault "inspect: $(cat "$desk/err")"
    in_output out '^b1: ulx3s_25f, site 1, mesh 0x[0-9a-f]{8}, build [0-9a-f]{16}, bitstream [0-9a-f]{16}$'
    flash 0 --dry-run --only b1
    in_output out '^b1: openFPGALoader -b ulx3s --cable xvc-client --ip 127.0.0.1 --port [0-9]+ -f -o 0 FOLDER/b1-2.bin$'
}

# fails STATUS TEXT FAULT...: board b0 with this fault.
fails() {
    local status=$1 text=$2
    shift 2
    strike "$@"
    flash "$status" --only b0 --force --timeout "$patience" --hello 0.5
    in_output err "b0: $text"
    strike
}

check_faults() {
    bitstream 41111043 2 >"$desk/top.bit" # other contents than those which the flashes have
    # openFPGALoader ends with 0:
    fails 3 'reads bitstream: the flash differs from what was written, at 0x2...' worn 0x2000
    fails 3 'reads bitstream: the flash differs from what was written, at 0x1004' weak 0x1004
    flash 0 --only b0
    fails 3 'reads the cleared label: the flash differs from what was written' protect 0x34
    # ... and with another code:
    fails 2 'clears the bitstream: openFPGALoader: the flash is locked' protect 0x24
    fails 2 'clears the label: openFPGALoader: the flash stays busy' flash_busy
    fails 2 'clears the label: openFPGALoader: the flash chip does not answer: its id is all ones' flash_mute
    fails 2 'measures the flash: its flash is too small, expected 4 MB or more' flash_small 0x200000
    fails 2 'measures the flash: its flash is too small, expected 4 MB or more' flash_small 0x80000
    fails 3 'waits for the node: no hello .*: the FPGA has not started, its DONE is low' done_low
    fails 3 'waits for the node: no hello .*: the FPGA has not started, its DONE is low' idcode 0x41113043
    fails 2 'clears the label: openFPGALoader: .*Unknown device with IDCODE: 0x12345679' idcode 0x12345679
    flash 0
    patience=2
    fails 5 'clears the label: no sign of life of openFPGALoader for 2 s' busy
    patience=60
    flash 0
}

# The connection is lost anywhere: the board never has a label that does not fit, and the next run ends well.
check_lost() {
    local shifts
    for shifts in 5 300 1500 ${LONG:+1 60 900}; do
        bitstream 41111043 1$shifts >"$desk/top.bit"
        fails 2 '.*(the connection to the JTAG server was lost|openFPGALoader)' drop $shifts
        flash 0 --verify
        ! grep -q 'differs from its label' "$desk/err" || fault "after $shifts shifts: $(cat "$desk/err")"
    done
    kill "${servers[0]}"
    wait "${servers[0]}" 2>/dev/null
    flash 2 --only b0
    in_output err 'b0: reads the label: openFPGALoader: no JTAG server answers there'
    start_server 0
    write_testbed ulx3s_25f >"$desk/testbed.ini"
    flash 0
}

# A board that is loaded into RAM. Its node answers as what is in the flash.
check_ram() {
    write_testbed colorlight_i5 >"$desk/testbed.ini"
    flash 0 --only b0
    strike done_low
    flash 3 --only b0
    in_output err 'b0: loads bitstream: openFPGALoader ended with 0, but the FPGA has not started: DONE is low'
    strike
    bitstream 41113043 3 >"$desk/top.bit"
    flash 3 --only b0
    in_output err 'b0: loads bitstream: openFPGALoader: the bitstream is for another FPGA'
    bitstream 41111043 1 >"$desk/top.bit"
    flash 0
}

check_settings() {
    write_testbed icebreaker >"$desk/testbed.ini"
    flash 1
    in_output err 'b0: probe = xvc:localhost:[0-9]+: iceprog reaches boards on USB only'
    write_testbed ulx3s_25f | sed 's/xvc:localhost:/xvc:nowhere.invalid:/' >"$desk/testbed.ini"
    flash 2
    in_output err 'b0: xvc:nowhere.invalid:[0-9]+: host nowhere.invalid is not found'
    write_testbed ulx3s_25f >"$desk/testbed.ini"
    build/postroad boards "$desk/testbed.ini" >"$desk/out" 2>"$desk/err"
    in_output err 'board b0: behind xvc:localhost:[0-9]+'
}

# What a program prints, line by line, without what comes from its cable, and of a bar its end.
texts() {
    "$@" 2>&1 >"$desk/printed" | sed 's/^/error: /'
    tr '\r' '\n' <"$desk/printed" |
        grep -vE '^$|[cC]able|^Jtag|^freq|^detected|^([0-9a-f]+ ){3}|\] [0-9]{1,2}\.[0-9]*%$'
}

# compare_texts FAULT ARGUMENT...: of the real program and of the imitated one, with the same fault.
compare_texts() {
    local kind=$1 port
    port=$(cat "$desk/boards/xvc-0/port")
    shift
    if [ "$kind" != none ]; then strike "$kind"; fi
    mkdir -p "$desk/boards/1-8"
    cp "$desk/boards/xvc-0/flash" "$desk/boards/1-8/flash"
    if [ "$kind" != none ]; then echo "any $kind" >"$desk/boards/1-8/fault"; else rm -f "$desk/boards/1-8/fault"; fi
    texts openFPGALoader -b ulx3s --cable xvc-client --ip 127.0.0.1 --port "$port" "$@" >"$desk/real"
    texts "$desk/bin/openFPGALoader" -b ulx3s --busdev-num 1:8 "$@" >"$desk/fake"
    diff "$desk/real" "$desk/fake" >"$desk/difference" ||
        fault "openFPGALoader $* ($kind) prints otherwise: $(cat "$desk/difference")"
    strike
}

check_texts() {
    compare_texts none -f -o 0 "$desk/top.bit"
    compare_texts none --dump-flash -o 0 --file-size 256 "$desk/dump"
    compare_texts none -m -v "$desk/top.bit"
    compare_texts done_low -m -v "$desk/top.bit"
    compare_texts done_low -f -o 0 "$desk/top.bit"
    compare_texts done_low --dump-flash -o 0 --file-size 256 "$desk/dump"
}

begin
[ $# -gt 0 ] || set -- whole faults lost ram settings texts
for check in "$@"; do
    "check_$check"
done
[ $faults = 0 ] && echo 'all good'
[ $faults = 0 ]
