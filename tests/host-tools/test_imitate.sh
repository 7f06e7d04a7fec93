#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The imitated boards do what the other tests rely on: each fault happens, and without one nothing is wrong. Two roles have their
# faults shown elsewhere: an FPGA behind JTAG in test_xvc.sh, by the real openFPGALoader; a boot program that loses, damages and
# delays in test_load_line.sh and test_load_boards.sh.
# usage: test_imitate.sh [CHECK...]      default: all of them, see the end
# needs: build/tests/host-tools/imitate build/tests/host-tools/real_ttys.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash imitate
# shellcheck source=tests/host-tools/boards.bash
source tests/host-tools/boards.bash
imitate=$PWD/build/tests/host-tools/imitate
bin=$directory/bin
export FAKE_BOARDS=$directory/boards FAKE_SSH=$directory/ssh FAKE_TTYS=$directory/ttys
mkdir "$bin" "$FAKE_BOARDS" "$FAKE_BOARDS/1-8" "$FAKE_SSH" "$FAKE_TTYS"
for name in iceprog openFPGALoader sigrok-cli; do ln -s "$imitate" "$bin/$name"; done
ln -s "$PWD/tests/host-tools/imitate/ssh" "$bin"
head -c 70000 "$imitate" >"$directory/top.bin"

check_names() {
    expect 1 'usage: imitate ROLE' "$imitate"
    expect 1 'usage: imitate ROLE' "$imitate" none
    expect 1 'usage: node' "$imitate" node -? path
    expect 1 'usage: consoles' "$imitate" consoles
    expect 1 'usage: iceprog' "$bin/iceprog"
    expect 0 'ulx3s' "$bin/openFPGALoader" --list-boards
}

check_consoles() {
    mkdir "$directory/consoles"
    expect 0 '^$' tests/host-tools/imitate/console_faults.py "$imitate" "$directory/consoles"
}

# struck FAULT STATUS TEXT PROGRAM ARGUMENT...: what a programmer does with a fault of its board.
struck() {
    echo "any $1" >"$FAKE_BOARDS/1-8/fault"
    EXPECT_SECONDS=${limit:-100} expect "$2" "$3" "$bin/$4" "${@:5}"
    rm -f "$FAKE_BOARDS/1-8/fault"
}
ice() { struck "$1" "$2" "$3" iceprog -d d:001/008 "${@:4}"; }
loader() { struck "$1" "$2" "$3" openFPGALoader -b ulx3s --busdev-num 1:8 "${@:4}"; }

# in_flash STATUS: whether the flash holds the file (0), or not (1).
in_flash() {
    "$bin/iceprog" -d d:001/008 -R 70000 "$directory/dump" 2>/dev/null
    cmp -s "$directory/dump" "$directory/top.bin"
    [ $? = "$1" ] || fault "$2: the flash holds the file: $((1 - $1))"
}

check_programmers() {
    local top=$directory/top.bin limit milliseconds
    ice none 0 'VERIFY OK.*|cdone: high' "$top"
    in_flash 0 iceprog
    ice verify 3 'Found difference between flash and file' "$top"
    in_flash 1 'iceprog, verify'
    ice wrong 0 'VERIFY OK' "$top"
    in_flash 1 'iceprog, wrong'
    ice done_low 0 'cdone: low' "$top"
    ice busy 2 "Can't find iCE FTDI USB device" "$top"
    ice lost 2 'Write error' "$top"
    in_flash 1 'iceprog, lost'
    ice signal 137 '' "$top"
    loader none 0 'Refresh: DONE' -f -o 0 "$top"
    in_flash 0 openFPGALoader
    loader verify 0 'Verification failed at' -f -o 0 "$top"
    loader done_low 1 'Refresh: FAIL' -f -o 0 "$top"
    loader done_low 0 'Fail Flag' -m -v "$top"
    loader none 0 'Done Flag' -m -v "$top"
    loader busy 1 'unable to claim usb device' -f -o 0 "$top"
    loader lost 1 'usb bulk write failed' -f -o 0 "$top"
    loader lost 1 'Failed to program FPGA' -m "$top"
    loader half 0 'Writi$' -f -o 0 "$top"
    loader garbage 0 '^' -f -o 0 "$top" 2>/dev/null # bash warns of its zero bytes
    [ ${#said} -gt 900 ] || fault "garbage: ${#said} bytes"
    limit=1 loader hang 124 'Writing: ' -f -o 0 "$top"
    if grep -q 'still here' <<<"$said"; then fault 'hang prints on'; fi
    limit=1 loader hang_noisy 124 'still here' -f -o 0 "$top"
    milliseconds=$(wc -l <"$FAKE_BOARDS/1-8/calls")
    loader 'slow once' 0 '' -f -o 0 "$top"
    [ "$(wc -l <"$FAKE_BOARDS/1-8/calls")" = $((milliseconds + 1)) ] || fault 'a call is not noted'
    milliseconds=$(tail -n 1 "$FAKE_BOARDS/1-8/calls" | awk '$3 == "write" && $4 == "0" { print $2 - $1 }')
    [ "${milliseconds:-0}" -ge 1000 ] || fault "slow: $milliseconds ms"
    rm -f "$directory/dump"
    loader no_file 0 '' --dump-flash -o 0 --file-size 256 "$directory/dump"
    [ ! -e "$directory/dump" ] || fault 'no_file makes one'
    echo 'read wrong once' >"$FAKE_BOARDS/1-8/fault"
    in_flash 1 'read wrong'
    in_flash 0 'once'
    echo 'bitstream lost' >"$FAKE_BOARDS/1-8/fault"
    expect 0 '' "$bin/openFPGALoader" --busdev-num 1:8 -f -o 0x300000 "$top" # it is not at 0
    expect 1 'device not found' "$bin/openFPGALoader" --busdev-num 1:9 -f -o 0 "$top"
}

# analyser FAULT STATUS TEXT ARGUMENT...
analyser() {
    rm -f "$directory/out.sr"*
    FAULT=$1 EXPECT_SECONDS=${limit:-100} expect "$2" "$3" "$bin/sigrok-cli" "${@:4}"
}
captures() { analyser "$1" "$2" "$3" --samples 2000 --channels D0,D1 --output-file "$directory/out.sr"; }
# shows FAULT TEXT: a capture that has been made has it.
shows() {
    captures "$1" 0 "$3"
    sigrok-cli -i "$directory/out.sr" --show >"$directory/shown" 2>&1
    grep -q "$2" "$directory/shown" || fault "$1: $(cat "$directory/shown")"
}

check_analyser() {
    local limit
    SIGROK_CLI=$(command -v sigrok-cli)
    export SIGROK_CLI
    analyser none 0 'Saleae Logic with 8 channels' --show
    analyser absent 1 'No devices found' --show
    analyser firmware 1 'Failed to locate' --show
    analyser many 1 '2 devices found' --show
    analyser silent 0 '^$' --show
    limit=0.5 analyser hangs_at_once 124 '^$' --show
    shows none 'Logic sample count: 2000' '^$'
    shows rate 'Samplerate: 16000000' '^$'
    shows short 'Logic sample count: 1000' 'Device only sent 1000 samples'
    shows none '^- D1: logic' '^$'
    shows channel '^- D0: logic' '^$'
    if grep -q 'D1' "$directory/shown"; then fault 'channel: there is a D1'; fi
    captures full 0 'No space left on device'
    [ ! -e "$directory/out.sr" ] || fault 'full makes a file'
    captures refuses 1 'Failed to start acquisition'
    captures garbage 0 '^$'
    cmp -s -n 5000 "$directory/out.sr" "$SIGROK_CLI" || fault 'garbage'
    captures truncated 0 '^$'
    [ "$(stat -c %s "$directory/out.sr")" = 900 ] || fault 'truncated'
    captures dies 137 '^$'
    [ -e "$directory/out.sr.AbCdEf" ] || fault 'dies leaves no half file'
    limit=0.5 captures hangs 124 '^$'
    [ -e "$directory/out.sr.AbCdEf" ] || fault 'hangs leaves no half file'
}

# reaches HOST STATE STATUS TEXT: through ssh.
reaches() {
    echo "$2" >"$FAKE_SSH/host"
    EXPECT_SECONDS=${limit:-100} expect "$3" "$4" "$bin/ssh" -T -- "$1" echo 'a  b;' echo '$0'
}

check_ssh() {
    local limit
    reaches me@bench plain 0 '^a b$' # a shell there takes the words apart
    grep -qx 'me@bench' "$FAKE_SSH/hosts" || fault 'no host is noted'
    reaches bench greets 0 'welcome'
    reaches far-away plain 255 'No route to host'
    reaches bench away 255 'No route to host'
    reaches bench old 127 'not found'
    limit=0.5 reaches bench silent 124 '^$'
    limit=0.5 reaches bench strange 124 'end of the devices'
    [ "$(wc -l <"$FAKE_SSH/processes")" = 7 ] || fault 'not every process is noted'
}

# hears SITE TEXT: what a console says by itself.
hears() {
    head -c 20 "$directory/pair/tty-$1" >"$directory/heard" 2>&1 &
    wait $!
    grep -aq "$2" "$directory/heard" || fault "tty-$1: $(cat "$directory/heard")"
}

check_boards() {
    local line
    boards_of pair 2x1
    line=tty:$directory/pair/tty
    expect 0 '2 of 2' "$postroad" map --gateway "$line-0"
    order pair 'mute 1'
    expect 5 'no answer' "$postroad" map --gateway "$line-1" --timeout 1
    order pair 'golden 1'
    hears 1 'golden image: the'
    order pair 'noise 1'
    hears 1 .
    order pair 'unplug 1'
    [ ! -e "$directory/pair/tty-1" ] || fault 'it is still plugged in'
    order pair 'unplug 0'
    order pair 'plug 1 0'
    expect 0 'seen from site 0' "$postroad" map --gateway "$line-1"
    order pair 'plug 1'
    expect 0 'seen from site 1' "$postroad" map --gateway "$line-1"
    ln -s "$directory/pair/tty-1" "$FAKE_TTYS/ttyUSB0"
    expect 0 '2 of 2' env LD_PRELOAD="$PWD/build/tests/host-tools/real_ttys.so" "$postroad" map --gateway tty:/dev/ttyUSB0
    [[ $(answer pair 'state 1') == 'runs started 0 packets 0 data 0' ]] || fault "state: $(answer pair 'state 1')"
    [ "$(answer pair "compare 1 $directory/top.bin")" = other ] || fault 'RAM has a file'
    echo 'nothing 1' >&"${commands[pair]}"
    wait "${helpers[-1]}"
    grep -q 'nothing 1: no command' "$directory/pair.log" || fault 'a command that there is not'
}

[ $# -gt 0 ] || set -- names consoles programmers analyser ssh boards
run_checks "$@"
