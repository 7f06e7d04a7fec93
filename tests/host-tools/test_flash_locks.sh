#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# One board, two runs of postroad flash: of two sessions, two users, two computers, two names of one. One of them writes, and the
# other one names the process that does. Where no lock keeps them apart, because their device files are not the same, never do
# both say `written`, and never has the board a label of something else.
# usage: test_flash_locks.sh [CHECK...]      default: all of them, see the end
# environment: SEED (1), ROUNDS (4; LONG: 40)
# needs: build/postroad build/firmware/node.elf build/tests/host-tools/imitate build/tests/host-tools/real_ttys.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
describe_bus() {
    # shellcheck source=tests/host-tools/flash_desk.bash
    source tests/host-tools/flash_desk.bash describe
    desk_hubs
    desk_device 0 0403:6015 0
    desk_device 1 0403:6015 0
}
# shellcheck source=tests/host-tools/usb_bus.bash
source tests/host-tools/usb_bus.bash
begin_bus describe_bus "$@"
# shellcheck source=tests/host-tools/flash_desk.bash
source tests/host-tools/flash_desk.bash flash-locks
RANDOM=${SEED:-1}

busy='another postroad flash, or a programmer that it started, is at work on it'
owner="of user $(id -un)"

# other_file NAME: a second testbed, which wants another bitstream in the same board.
other_file() {
    head -c 100001 /dev/urandom >"$desk/other.bin"
    sed 's/top.bin/other.bin/' "$desk/testbed.ini" >"$desk/$1.ini"
}

# begin NAME ARGUMENT...: postroad flash of $desk/NAME.ini in the background; $desk/NAME.out, .err, .pid
begin() {
    local name=$1
    shift
    : >"$desk/$name.err" # here, or an earlier text may be read from it
    # shellcheck disable=SC2016  # the inner shell's
    "${on[@]}" bash -c 'echo $$ >"$0"; exec "$@"' "$desk/$name.pid" build/postroad flash "$desk/$name.ini" --only b0 \
        --hello 5 "$@" >"$desk/$name.out" 2>"$desk/$name.err" </dev/null &
}

# ends PROCESS: its exit status is $status
ends() {
    status=0
    wait "$1" || status=$?
}

# refused NAME ARGUMENT...: a second run is refused, with this text behind.
refused() {
    begin "$1"
    ends $!
    [ $status = 2 ] || fault "$1: exit status $status, expected 2: $(cat "$desk/$1.err")"
    grep -q "b0: .*$busy: $2" "$desk/$1.err" || fault "$1: not '$busy: $2' in: $(cat "$desk/$1.err")"
}

# written PROCESS NAME
written() {
    ends "$1"
    [ $status = 0 ] || fault "$2: exit status $status: $(cat "$desk/$2.err")"
}

on=(on_desk)

# of_board VERB...: what it says names the holder
says_so() {
    on_desk timeout 60 build/postroad "$@" >"$desk/said" 2>&1 </dev/null
    grep -q "the board at port 1-1.1 is being written, by process [0-9]* (postroad) $owner" "$desk/said" ||
        fault "$1 does not name the holder: $(cat "$desk/said")"
}

check_sessions() {
    strike 0 write slow
    begin testbed --force
    first=$!
    await_text "$desk/testbed.err" 'clears the label'
    mkdir -m 700 "$desk/elsewhere"
    XDG_RUNTIME_DIR=$desk/elsewhere refused second "process [0-9]* (postroad) $owner"
    says_so boards
    says_so identify "$desk/testbed.ini" b0
    says_so up "$desk/testbed.ini" --name desk
    on_desk build/postroad boards --json 2>/dev/null | jq -e '[.devices[] | .holder != ""] == [true, false]' >/dev/null ||
        fault "boards --json does not name the holder: $(on_desk build/postroad boards --json)"
    says_so enroll "$desk/grid.mesh" -o "$desk/new.ini" --force --scan --type ulx3s_25f
    written $first testbed
}

# A board whose console has another rate is named by enroll.
check_rates() {
    flash 0
    console_fault 0 'rate 115200'
    rm -f "$desk/new.ini"
    on_desk build/postroad enroll "$desk/grid.mesh" -o "$desk/new.ini" --scan --type ulx3s_25f \
        >"$desk/out" 2>"$desk/err" </dev/null
    in_output err 'board n[01] answers at 115200 baud, not at 1000000: write `baud = 115200`'
    [ "$(grep -c 'baud' "$desk/err")" = 1 ] || fault "enroll: $(cat "$desk/err")"
    console_fault 0
}

# The programmer of a run that is gone holds the lock, until it has ended.
check_left() {
    strike 0 write hang
    begin testbed --force
    first=$!
    await_text "$desk/testbed.err" 'clears the label'
    sleep 0.3
    kill -KILL "$(cat "$desk/testbed.pid")"
    ends $first
    rm -rf "$desk/tmp"/*
    refused second "process [0-9]* (openFPGALoader) $owner"
    kill "$(sed -nE 's/.*process ([0-9]+) .*/\1/p' "$desk/second.err")"
    strike 0
    begin second
    written $! second
}

# Whoever may open the device file may hold its lock. Nothing else comes of it.
check_hostile() {
    exec 7<"$UMOCKDEV_DIR/dev/bus/usb/001/008"
    flock 7
    sleep 100 &
    holder=$!
    exec 7<&-
    refused testbed "process $holder (sleep) $owner"
    kill $holder
    wait $holder 2>/dev/null
}

# As another user, whose session, folders and environment are not those of this one.
check_users() {
    if [ "$(id -u)" != 0 ]; then
        echo 'left out: two users (needs root)'
        return
    fi
    umask 022
    chmod 755 "$desk"
    chmod a+x "$(dirname "$desk")" # of the test
    chmod -R a+rwX "$desk/boards" "$desk/tmp" "$UMOCKDEV_DIR"
    chmod a+rX "$desk"/*.bin "$desk"/*.mesh "$desk"/*.ini
    chmod a+rx "$desk/ttys"
    chmod a+rw "$UMOCKDEV_DIR"/dev/tty* "$desk"/ttys/*
    mkdir -p "$desk/place/lib/postroad"
    install -D build/postroad "$desk/place/bin/postroad"
    install -D -m 644 build/firmware/node.elf "$desk/place/node.elf"
    for conf in boards/*/board.conf; do install -D -m 644 "$conf" "$desk/place/share/postroad/$conf"; done
    install build/tests/host-tools/imitate "$desk/place/bin/openFPGALoader"
    install build/tests/host-tools/real_ttys.so "$desk/place"
    sed "s,^mesh = .*,&\nfirmware = place/node.elf," "$desk/testbed.ini" >"$desk/theirs.ini"
    chmod a+rwx "$desk/run"
    strike 0 write slow
    (cd / && PATH=$desk/place/bin:$PATH LD_PRELOAD=$desk/place/real_ttys.so:$preload XDG_RUNTIME_DIR='' \
        exec setpriv --reuid 65534 --regid 65534 --clear-groups postroad flash "$desk/theirs.ini" --only b0 --force --hello 5) \
        >"$desk/theirs.out" 2>"$desk/theirs.err" </dev/null &
    first=$!
    await_text "$desk/theirs.err" 'clears the label'
    refused second 'process [0-9]* (postroad) of user nobody'
    owner='of user nobody' says_so boards
    written $first theirs
}

# at_hosts HOST-OF-THE-FIRST HOST-OF-THE-SECOND TEXT: "": this computer
at_hosts() {
    sed "s/^path = .*/&\n${1:+host = $1}/" "$desk/testbed.ini" >"$desk/first.ini"
    sed "s/^path = .*/&\n${2:+host = $2}/; s/top.bin/other.bin/" "$desk/testbed.ini" >"$desk/second.ini"
    strike 0 write slow
    begin first --force
    first=$!
    await_text "$desk/first.err" 'clears the label'
    refused second "$3"
    written $first first
    strike 0
    begin second
    written $! second
}

check_hosts() {
    ln -s "$PWD/tests/host-tools/imitate/ssh" "$desk/bin"
    ln -sf "$PWD/build/postroad" "$desk/bin/postroad"
    export FAKE_SSH=$desk
    at_hosts '' me@bench '.ssh me@bench postroad boards. names it'
    at_hosts bench '' "process [0-9]* (\\(cat\\|flock\\)) $owner"
    at_hosts bench me@bench.lab '.ssh me@bench.lab postroad boards. names it'
    # ssh is cut, and the programmer there goes on.
    strike 0 write hang
    begin first --force
    await_text "$desk/first.err" 'clears the label'
    sleep 0.3
    local ways
    mapfile -t ways < <(pgrep -P "$(cat "$desk/first.pid")")
    kill -KILL "$(cat "$desk/first.pid")" "${ways[@]}"
    ends $!
    rm -rf "$desk/tmp"/*
    sed "s/top.bin/other.bin/" "$desk/testbed.ini" >"$desk/second.ini"
    refused second "process [0-9]* (flock) $owner"
    kill "$(pgrep -P "$(sed -nE 's/.*process ([0-9]+) .*/\1/p' "$desk/second.err" | head -n 1)")"
    strike 0
    begin second
    written $! second
}

# what_is_there: the flash has the label of the bitstream FILE, or none.
what_is_there() {
    "$desk/bin/openFPGALoader" -b ulx3s --busdev-num 1:8 --dump-flash -o 0 --file-size 3300000 "$desk/dump" >/dev/null
    build/postroad inspect "$desk/dump" >"$desk/said" 2>&1
    ! grep -q 'not what is there' "$desk/said" || fault "$1: the label lies: $(cat "$desk/said")"
}

# Each has a bus of its own, as two containers have.
check_unlocked() {
    local round rounds=${ROUNDS:-${LONG:+40}} delay one two well=0
    on=(on_own_bus)
    desk_hubs >"$desk/bus"
    cat "$desk/device-0" >>"$desk/bus"
    for ((round = 0; round < ${rounds:-4}; round++)); do
        strike 0 write slow
        begin testbed --force
        one=$!
        delay=$((RANDOM % 6000))
        sleep "$((delay / 1000)).$(printf %03d $((delay % 1000)))"
        begin second --force
        two=$!
        if [ $((RANDOM % 3)) = 0 ]; then # the second one is interrupted
            sleep $((RANDOM % 6))
            kill -INT "$(cat "$desk/second.pid")" 2>/dev/null
        fi
        ends $one
        one=$status
        ends $two
        strike 0
        [ $one-$status != 0-0 ] || fault "round $round, $delay ms: both are written: $(cat "$desk"/*.err)"
        well=$((well + (one == 0) + (status == 0)))
        what_is_there "round $round, $delay ms: $one, $status"
        rm -rf "$desk/tmp"/*
    done
    echo "$round rounds, $well runs have written"
    on=(on_desk)
}

boards_on_desk ulx3s_25f 0403:6015 2x1 2
other_file second
[ $# -gt 0 ] || set -- sessions rates left hostile users hosts unlocked
for check in "$@"; do "check_$check"; done
[ $faults = 0 ] && echo 'all good'
[ $faults = 0 ]
