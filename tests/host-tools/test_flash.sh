#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# postroad flash with boards, programmers and consoles that are imitated: sixteen boards in one run with faults in five; every
# fault of a programmer and of a console gets its verdict; what is right is skipped, what is half-written is mended.
# usage: test_flash.sh [CHECK...]      default: all of them, see the end
# needs: build/postroad build/firmware/node.elf build/tests/host-tools/imitate build/tests/host-tools/real_ttys.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/flash_desk.bash
source tests/host-tools/flash_desk.bash flash

check_sixteen() {
    strike 3 bitstream wrong      # found by comparing
    strike 6 bitstream signal
    strike 9 bitstream hang
    strike 12 any busy
    console_fault 14 site
    flash 4 --keep-going --timeout 10 --hello 30 -J 16 --log "$desk/logs"
    in_output out '^b0 +0 +1-1\.1 +written '
    in_output err 'b3: reads bitstream: the flash differs from what was written, at 0xc350'
    in_output err 'b6: writes bitstream: openFPGALoader was ended by signal 9'
    in_output err 'b9: writes bitstream: no sign of life of openFPGALoader for 10 s'
    in_output err 'b12: reads the label: openFPGALoader: another program or driver \(ftdi_sio\) has the board'
    in_output err 'b14: waits for the node: the node is site 15, expected site 14'
    [ "$(grep -c ' written ' "$desk/out")" = 11 ] || fault "not 11 boards are written: $(cat "$desk/out")"
    in_output err 'b9 is half-written'
    ! grep -q 'b14 is half' "$desk/err" || fault 'b14 is said to be half-written'
    grep -q '^\$ openFPGALoader -b ulx3s --busdev-num 1:10 ' "$desk/logs/b2.log" || fault "log: $(head "$desk/logs/b2.log")"
    for board in 3 6 9 12; do strike $board; done
    console_fault 14
    before=$(calls_of 0)
    flash 0
    [ $(($(calls_of 0) - before)) = 1 ] || fault "a board that is right was called $(($(calls_of 0) - before)) times"
    [ "$(grep -c 'was right' "$desk/out")" = 12 ] || fault "not 12 boards were right: $(cat "$desk/out")"
    [ "$(grep -c ' written ' "$desk/out")" = 4 ] || fault "not 4 boards were written: $(cat "$desk/out")"
}

check_faults() {
    local one=(--only b0 --force) build_id
    local soon=("${one[@]}" --hello 2) # it does not answer
    build_id=$(riscv64-unknown-elf-readelf -n build/firmware/node.elf | sed -nE 's/.*Build ID: (.{16}).*/\1/p')
    strike 0 write verify
    flash 3 "${one[@]}"
    in_output err 'ended with 0, but printed: Verification failed'
    strike 0 read wrong
    flash 3 "${one[@]}"
    strike 0 read no_file
    flash 2 "${one[@]}"
    in_output err 'ended with success, but read less'
    strike 0 write hang_noisy
    flash 5 "${one[@]}" --timeout 2
    strike 0 any garbage
    flash 2 "${one[@]}"
    in_output err 'ended with 0, but did not report success|ended with 0, but printed'
    strike 0 write half
    flash 2 "${one[@]}"
    strike 0 write lost
    flash 2 "${one[@]}"
    strike 0 write lost once
    flash 0 "${one[@]}" --retry 1
    in_output err 'b0: .*tried again'
    console_fault 0 silent
    flash 5 "${soon[@]}"
    in_output err 'no hello within 2 s: no node answers on the console; all is written$'
    console_fault 0 golden
    flash 5 "${soon[@]}"
    in_output err 'no hello within 2 s: no node answers on the console, which shows: golden image: the bitstream is damaged'
    console_fault 0 mesh
    flash 3 "${one[@]}"
    in_output err 'the node has another mesh, hash 0x'
    console_fault 0 strange
    flash 5 "${soon[@]}"
    in_output err 'not as a node of this kit'
    console_fault 0 noise
    flash 5 "${soon[@]}"
    console_fault 0 firmware
    flash 3 "${one[@]}"
    in_output err "the node runs other firmware, build [0-9a-f]{16}, expected $build_id"
    console_fault 0 old
    flash 0 "${one[@]}"
    console_fault 0 mute
    flash 0 "${one[@]}"
    console_fault 0
    strike 0
    flash 0 "${one[@]}"
}

# One byte of a board has changed behind its label.
check_verify() {
    flash 0 --only b1
    printf '\125' | dd of="$desk/boards/1-9/flash" bs=1 seek=77 conv=notrunc status=none
    flash 0 --only b1
    in_output out 'was right'
    flash 0 --only b1 --verify
    in_output err 'b1: bitstream differs from its label; written again'
    in_output out ' written '
    flash 0 --only b1 --verify
    in_output out 'was right'
}

check_plan() {
    local before
    before=$(calls_of 2)
    flash 0 --dry-run --only b2,b3
    in_output out '^b2: openFPGALoader -b ulx3s --busdev-num 1:10 -f -o 0 FOLDER/b2-2.bin$'
    in_output out '^b2: openFPGALoader -b ulx3s --busdev-num 1:10 --dump-flash -o 3014656 --file-size 256 FOLDER/b2-read.bin$'
    [ "$(calls_of 2)" = "$before" ] || fault 'a dry run calls a programmer'
    flash 1 --only b2,nobody
    in_output err 'only nobody: the testbed has no board of this name'
    # All problems at once, nothing touched.
    cp "$desk/bus" "$desk/bus.whole"
    sed -i '/^P:.*1-1\.2$/,/^$/d' "$desk/bus"
    mv "$desk/bin/openFPGALoader" "$desk/bin/hidden"
    flash 2 --only b1,b4
    in_output err 'b1: missing: '
    [ -n "$(command -v openFPGALoader)" ] || in_output err 'b4: openFPGALoader is not installed'
    in_output err 'nothing was touched'
    # One that hangs when it is asked for its boards, and one that dies.
    printf '#!/bin/sh\nexec sleep 1000\n' >"$desk/bin/openFPGALoader"
    chmod +x "$desk/bin/openFPGALoader"
    flash 2 --only b4
    in_output err 'b4: .openFPGALoader --list-boards. has not ended within 10 s'
    printf '#!/bin/sh\nkill -KILL $$\n' >"$desk/bin/openFPGALoader"
    flash 2 --only b4
    in_output err 'b4: .openFPGALoader --list-boards. was ended by a signal'
    mv "$desk/bin/hidden" "$desk/bin/openFPGALoader"
    mv "$desk/bus.whole" "$desk/bus"
    flash 2 --only b1 --log /nowhere
    in_output err '/nowhere/b1.log: No such file or directory, expected a folder for logs'
}

check_json() {
    flash 0 --only b1,b2 --force --json
    jq -es 'map(select(.schema == "postroad.flash")) | length > 10' "$desk/out" >/dev/null ||
        fault "no JSON lines: $(cat "$desk/out")"
    jq -es 'map(select(.event == "ended")) | map([.board, .result, .node.site] | tostring) | sort |
        . == ["[\"b1\",\"written\",1]", "[\"b2\",\"written\",2]"]' "$desk/out" >/dev/null || fault "results: $(cat "$desk/out")"
    [ "$(tail -n 1 "$desk/out" | jq -r '[.event, .boards, .well, .code] | @csv')" = '"summary",2,2,0' ] ||
        fault "summary: $(tail -n 1 "$desk/out")"
}

# stopped SECONDS TEXT: postroad flash is stopped for so long once it says this. Its exit status is $status.
stopped() {
    local seconds=$1 text=$2 runner
    shift 2
    : >"$desk/err"
    # shellcheck disable=SC2016  # the inner shell's
    on_desk bash -c 'echo $$ >"$0"; exec "$@"' "$desk/pid" build/postroad flash "$desk/testbed.ini" "$@" \
        >"$desk/out" 2>"$desk/err" </dev/null &
    runner=$!
    await_text "$desk/err" "$text"
    sleep 0.4 # it has begun
    kill -STOP "$(cat "$desk/pid")"
    console_fault 0
    sleep "$seconds"
    kill -CONT "$(cat "$desk/pid")"
    status=0
    wait $runner || status=$?
    [ $status = 0 ] || fault "stopped, status $status: $(cat "$desk/err")"
}

# Longer than its limits, which do not pass meanwhile: what its programmer has said is read first, and a node has its time left.
check_stopped() {
    strike 0 write slow
    stopped 3 'clears the label' --only b0 --force --timeout 2
    strike 0
    console_fault 0 silent
    stopped 3 'waits for the node' --only b0 --hello 2
}

# At most two at a time on a hub, three in all.
check_limits() {
    local k board
    for k in {0..7}; do
        strike "$k" write slow once
        rm -f "$desk/boards/1-$((k + 8))/calls"
    done
    flash 0 --force --only b0,b1,b2,b3,b4,b5,b6,b7 -J 3 --per-hub 2
    most() {
        for board in "$@"; do cat "$desk/boards/1-$((board + 8))/calls"; done |
            awk '{ print $1, 1; print $2, -1 }' | sort -n -k 1,1 -k 2,2 |
            awk '{ n += $2; if (n > most) most = n } END { print most }'
    }
    [ "$(most {0..3})" -le 2 ] || fault "$(most {0..3}) boards at a time on one hub"
    [ "$(most {0..7})" = 3 ] || fault "$(most {0..7}) boards at a time, expected 3"
}

# What b1 has in its flash.
dump_b1() {
    "$desk/bin/openFPGALoader" -b ulx3s --busdev-num 1:9 --dump-flash -o 0 --file-size 3300000 "$desk/dump" >/dev/null
    build/postroad inspect "$desk/dump" >"$desk/out" 2>"$desk/err" || fault "inspect: $(cat "$desk/err")"
}

# What is in the flash of boards, and in files.
check_inspect() {
    local status=0
    flash 0 --only b1
    dump_b1
    in_output out '^label: ulx3s_25f, site 1, mesh 0x[0-9a-f]{8}$'
    in_output out '^image at 0x300000: site 1, epoch 0, firmware of [0-9]+ bytes, build [0-9a-f]{16}$'
    build/postroad inspect "$desk/dump" --json >"$desk/out"
    [ "$(jq -r '[.label.site, .label.fits, .images[0].good] | @csv' "$desk/out")" = 1,true,true ] ||
        fault "the JSON of inspect: $(cat "$desk/out")"
    printf x | dd of="$desk/dump" bs=1 seek=$((0x300100)) conv=notrunc status=none
    build/postroad inspect "$desk/dump" >"$desk/out" 2>"$desk/err" || status=$?
    [ $status = 3 ] || fault "a damaged image: exit status $status"
    in_output out 'firmware is damaged'
    strike 2 write signal
    flash 2 --only b2 --force
    strike 2
    strike 3 read busy
    status=0
    on_desk build/postroad inspect "$desk/testbed.ini" >"$desk/out" 2>"$desk/err" || status=$?
    [ $status = 4 ] || fault "inspect of a testbed: exit status $status: $(cat "$desk/err")"
    in_output out '^b1: ulx3s_25f, site 1, mesh 0x[0-9a-f]{8}, build [0-9a-f]{16}, bitstream [0-9a-f]{16}$'
    in_output out '^b2: no label'
    in_output out '^b3: reads the label: .* has the board'
    strike 3
    # Without what would be written.
    mv "$desk/top.bin" "$desk/away.bin"
    on_desk build/postroad inspect "$desk/testbed.ini" --only b2,b1 >"$desk/out" 2>"$desk/err" ||
        fault "inspect --only: $(cat "$desk/err")"
    [ "$(cut -d : -f 1 "$desk/out" | tr '\n' ' ')" = 'b1 b2 ' ] || fault "inspect --only b2,b1: $(cat "$desk/out")"
    mv "$desk/away.bin" "$desk/top.bin"
    files_refused '--only: .*/dump is no testbed file' inspect "$desk/dump" --only b1
}

# A key in the testbed file locks the boards; without it they are unlocked.
check_lock() {
    local key
    openssl genpkey -algorithm ed25519 -out "$desk/bench.key"
    openssl pkey -in "$desk/bench.key" -pubout -out "$desk/bench.pub"
    cp "$desk/testbed.ini" "$desk/open.ini"
    sed -i 's/^mesh = .*/&\nkey = bench.pub\noldest = 7/' "$desk/testbed.ini"
    flash 0 --only b1
    dump_b1
    key=$(openssl pkey -pubin -in "$desk/bench.pub" -outform DER | tail -c 32 | od -An -v -tx1 | tr -d ' \n')
    in_output out "^locked: key $key, versions from 7 on\$"
    printf x | dd of="$desk/dump" bs=1 seek=$((0x2d1000)) conv=notrunc status=none
    build/postroad inspect "$desk/dump" >"$desk/out" 2>"$desk/err" && fault 'a damaged lock is accepted'
    in_output out '^locked: the verifier is damaged$'
    printf x | dd of="$desk/dump" bs=1 seek=$((0x2d0001)) conv=notrunc status=none
    build/postroad inspect "$desk/dump" >"$desk/out" 2>"$desk/err" && fault 'a damaged mark is accepted'
    in_output out '^locked: the verifier is damaged$'
    sed -i 's/bench.pub/bench.key/' "$desk/testbed.ini"
    flash 1 --only b1
    in_output err 'bench.key: expected a public Ed25519 key'
    mv "$desk/open.ini" "$desk/testbed.ini"
    flash 0 --only b1
    dump_b1
    grep -q locked "$desk/out" && fault 'the board is still locked'
}

# files_refused TEXT ARGUMENT...: postroad ends by itself, with a usage error.
files_refused() {
    local text=$1 status=0
    shift
    on_desk timeout -s KILL 60 build/postroad "$@" >"$desk/out" 2>"$desk/err" </dev/null || status=$?
    [ $status = 1 ] || fault "$*: exit status $status"
    in_output err "$text"
}

# Files that never end, and a FIFO that nobody writes to, in each place of a file.
check_files() {
    local fifo=$desk/fifo
    mkfifo "$fifo"
    truncate -s 65M "$desk/large"
    files_refused 'fifo:0: no board' flash "$fifo"
    files_refused '/dev/zero: more than 1048576 bytes' flash /dev/zero
    cp "$desk/testbed.ini" "$desk/plain.ini"
    sed -i 's/^bitstream = .*/bitstream = fifo/' "$desk/testbed.ini"
    files_refused 'b0: .*/fifo: empty, expected a bitstream' flash "$desk/testbed.ini" --only b0
    sed -i 's/^bitstream = .*/bitstream = top.bin/; s/^mesh = .*/&\nkey = fifo/' "$desk/testbed.ini"
    files_refused 'b0: .*/fifo: expected a public Ed25519 key' flash "$desk/testbed.ini" --only b0
    sed -i 's/^key = .*//; s/^mesh = .*/mesh = fifo/' "$desk/testbed.ini"
    files_refused 'fifo' flash "$desk/testbed.ini" --only b0
    mv "$desk/plain.ini" "$desk/testbed.ini"
    files_refused 'large: more than 67108864 bytes, expected a file' inspect "$desk/large"
    files_refused '/dev/zero: more than 67108864 bytes' inspect /dev/zero
    rm "$fifo" "$desk/large"
    printf '[board a]\ntype = ulx3s_25f\nserial = \033[31mred\n' >"$desk/hostile.ini"
    files_refused 'serial = \?\[31mred: expected printable characters' flash "$desk/hostile.ini"
}

# A container without files of devices: nothing is touched, and it is told from missing rights.
check_containers() {
    local file status
    for file in bus ttyUSB0; do
        status=0
        # shellcheck disable=SC2016  # the inner shell's
        on_desk bash -c 'rm -r "$UMOCKDEV_DIR/dev/$0"; exec "$@"' $file build/postroad flash "$desk/testbed.ini" --only b0 \
            >"$desk/out" 2>"$desk/err" </dev/null || status=$?
        [ $status = 2 ] || fault "without $file: exit status $status: $(cat "$desk/out" "$desk/err")"
        in_output err "b0: /dev/$file.*: there is no such file, though the kernel has the device"
        in_output err 'nothing was touched'
    done
}

# A folder that is full, and one that cannot be written to.
check_storage() {
    local status=0
    flash 2 --only b0 --log "$desk/nothing"
    on_desk env TMPDIR=/proc build/postroad flash "$desk/testbed.ini" --only b0 >"$desk/out" 2>"$desk/err" || status=$?
    [ $status = 2 ] || fault "a folder for files that cannot be made: status $status"
    if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
        mkdir -p "$desk/small"
        # shellcheck disable=SC2016  # the inner shell's
        on_desk unshare -m bash -c 'mount -t tmpfs -o size=16k none "$0/small" && exec "${@}" --log "$0/small"' "$desk" \
            build/postroad flash "$desk/testbed.ini" --only b0,b1,b2 --force >"$desk/out" 2>"$desk/err" || status=$?
        in_output out 'b2 .* written'
        in_output err 'its log is not complete: No space left on device'
        # shellcheck disable=SC2016  # the inner shell's
        status=0
        # shellcheck disable=SC2016  # the inner shell's
        on_desk unshare -m bash -c 'mount -t tmpfs -o size=64k none "$0/small" && TMPDIR=$0/small exec "${@}"' "$desk" \
            build/postroad flash "$desk/testbed.ini" --only b0 --force >"$desk/out" 2>"$desk/err" || status=$?
        [ $status = 2 ] || fault "a full folder for files: status $status, $(cat "$desk/err")"
        in_output err 'b0: .*No space left on device'
    else
        echo 'left out: full folders (needs root, to mount them)'
    fi
}

boards_on_desk ulx3s_25f 0403:6015 4x4 16
[ $# -gt 0 ] || set -- sixteen faults stopped verify plan json inspect lock limits files containers storage
for check in "$@"; do
    case $check in
        sixteen | inspect) plug_in 16 ;;
        limits | plan) plug_in 8 ;;
        *) plug_in 4 ;;
    esac
    "check_$check"
done
[ $faults = 0 ] && echo 'all good'
[ $faults = 0 ]
