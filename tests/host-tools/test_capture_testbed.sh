#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad capture`: sigrok's demo device really, an analyser on USB by a stand-in, each of whose faults gives its exit code and
# its reason, and leaves neither a half file nor a process, and what was there before.
# usage: tests/host-tools/test_capture_testbed.sh [CHECK...]
# needs: build/tests/host-tools/imitate
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash analyser
SIGROK_CLI=$(command -v sigrok-cli)
export SIGROK_CLI
place=$directory/place
file=$place/out.sr
mkdir -p "$place" "$directory/bin"
ln -s "$PWD/build/tests/host-tools/imitate" "$directory/bin/sigrok-cli"

# testbed DRIVER RATE LINE...: $directory/pair.ini.
testbed() {
    {
        printf '%s\n' '[testbed]' "mesh = $PWD/hw/mesh/grid-2x1.mesh" '[board left]' 'type = icebreaker' 'site = 0' \
            '[board right]' 'type = icebreaker' 'site = 1' '[cables]' 'left.east = right.west' '[analyser]'
        [ -z "$1" ] || echo "driver = $1"
        [ -z "$2" ] || echo "rate = $2"
        printf '%s\n' "${@:3}"
    } >"$directory/pair.ini"
}

# captures STATUS TEXT OPTION...
captures() {
    expect "$1" "$2" "$postroad" capture "$directory/pair.ini" --output "$file" "${@:3}"
}

# with_fault FAULT STATUS TEXT OPTION...: by the stand-in; an older file stays as it was.
with_fault() {
    echo older >"$file"
    FAULT=$1 PATH=$directory/bin:$PATH captures "$2" "$3" --samples 20000 "${@:4}"
    [ "$(cat "$file")" = older ] || fault "$1: the older file is gone"
    only_file "$1"
}

only_file() {
    [ "$(ls -A "$place")" = out.sr ] || fault "$1: left behind: $(ls -A "$place")"
}

check_demo() {
    testbed demo 1m 'D0 = left.east' 'D1 = right.west' 'D2 = left.probe0 east.head'
    rm -f "$file"
    captures 0 'captured: .*/out.sr, 50000 samples, 0.05 s at 1 MHz' --time 0.05
    grep -q 'D2 *left.probe0 east.head *[1-9]' <<<"$said" || fault "no edges of D2: $said"
    grep -qx "latencies: postroad latency $file --testbed $directory/pair.ini" <<<"$said" || fault "no next command: $said"
    only_file demo
    sigrok-cli -i "$file" --show >"$directory/shown"
    grep -q '^Samplerate: 1000000$' "$directory/shown" || fault "another rate: $(cat "$directory/shown")"
    [ "$(sed -n 's/^- \(D.*\): logic$/\1/p' "$directory/shown" | tr '\n' ' ')" = 'D0 D1 D2 ' ] || fault "other channels"
    captures 0 '"samples":.700,' --samples 700 --json
    grep -q '"shows":."right.west"' <<<"$said" || fault "JSON without a line: $said"
    captures 0 '^$' --samples 700 --quiet
    captures 0 'captured' --samples 1000 --trigger D0=r
}

check_usage() {
    testbed demo 1m 'D0 = left.east'
    expect 1 'expected --output FILE.sr' "$postroad" capture "$directory/pair.ini"
    expect 1 'expected a name that ends with .sr' "$postroad" capture "$directory/pair.ini" --output "$directory/x.vcd"
    expect 2 'No such file or directory' "$postroad" capture "$directory/pair.ini" --output "$directory/none/x.sr"
    captures 1 'expected one of them' --samples 5 --time 1
    captures 1 'trigger=D1=r: expected CHANNEL=CONDITION' --trigger D1=r
    captures 1 'trigger=D0=x: expected CHANNEL=CONDITION' --trigger D0=x
    captures 1 'trigger=D0: expected CHANNEL=CONDITION' --trigger D0=1,D0
    rm -f "$file"
    mkfifo "$file"
    captures 1 'is there and no file'
    rm "$file"
    ln -s "$directory/other" "$file"
    captures 1 'is there and no file'
    rm "$file"
    testbed demo 24g 'D0 = left.east'
    captures 1 'does not sample at 24000000000 Hz'
    testbed demo 1m 'D9 = left.east'
    captures 1 'pair.ini:14: the analyser has no channel D9, expected one of D0 D1'
    testbed '' 1m 'D0 = left.east'
    captures 1 'no driver, as in driver = fx2lafw'
    testbed demo '' 'D0 = left.east'
    captures 1 'no rate, as in rate = 24m'
    testbed demo 1m
    captures 1 'no channel, as in D0 = a.east'
    testbed none-such 1m 'D0 = left.east'
    captures 2 'driver none-such: Driver none-such not found'
    testbed demo 1m 'D0 = left.east'
    expect 2 "sigrok-cli: no such file or directory, expected Debian's package" env PATH="$directory" "$postroad" capture \
        "$directory/pair.ini" --output "$file"
}

check_faults() {
    testbed fx2lafw 24m 'D0 = left.east' 'D1 = right.west'
    with_fault absent 2 'driver fx2lafw: No devices found'
    with_fault firmware 2 "driver fx2lafw: resource: Failed to locate 'fx2lafw-saleae-logic.fw'"
    with_fault many 2 'driver fx2lafw: 2 devices found. Use --scan'
    with_fault silent 2 'driver fx2lafw: no device found'
    with_fault rate 3 'the analyser has sampled at 16000000 Hz, expected 24000000 Hz'
    with_fault channel 3 'what came has no channel D1'
    with_fault short 3 '10000 samples came, expected 20000; sigrok-cli: Device only sent 10000 samples'
    with_fault hangs 5 'no sign of life for' --timeout 1
    with_fault dies 2 'sigrok-cli was ended by signal 9'
    with_fault full 2 'sigrok-cli has made no file: sr: output/srzip: Error saving zipfile: No space left'
    with_fault garbage 3 'what came cannot be read'
    with_fault truncated 3 'what came cannot be read'
    with_fault refuses 2 'sigrok-cli: sr: fx2lafw: Failed to start acquisition. .exit code 1'
}

check_device() {
    testbed fx2lafw 24m 'D0 = left.east' 'D1 = right.west'
    PATH=$directory/bin:$PATH captures 0 'Saleae Logic: ' --samples 20000
    PATH=$directory/bin:$PATH captures 1 'expected 500000 at most' --samples 500001
    PATH=$directory/bin:$PATH captures 1 'no such condition, expected one of 01r' --samples 5 --trigger D0=f
    testbed fx2lafw 12m 'D0 = left.east'
    PATH=$directory/bin:$PATH captures 1 'does not sample at 12000000 Hz' --samples 5
    # The demo device's last channel does not change.
    testbed fx2lafw 24m 'D0 = left.east' 'D7 = right.west'
    PATH=$directory/bin:$PATH captures 0 'channel D7 .right.west. has never changed' --samples 2
    testbed fx2lafw 24m 'D7 = right.west'
    PATH=$directory/bin:$PATH captures 4 'no channel has changed: there is nothing in' --samples 2 --quiet
}

# Ctrl-C, as the terminal sends it, while sigrok-cli looks for the analyser, and while it captures.
check_interrupt() {
    local fault signal status
    testbed fx2lafw 24m 'D0 = left.east'
    for fault in hangs_at_once hangs; do
        for signal in INT TERM; do
            echo older >"$file"
            FAULT=$fault PATH=$directory/bin:$PATH setsid "$postroad" capture "$directory/pair.ini" --output "$file" \
                --samples 20000 >"$directory/said" 2>&1 </dev/null &
            local process=$!
            [ $fault = hangs_at_once ] || within_time sh -c "ls $place/out.sr.*/capture.sr.AbCdEf >/dev/null 2>&1" ||
                fault "$fault: nothing is written"
            [ $fault = hangs ] || within_time pgrep -P $process >/dev/null || fault "$fault: nothing is started"
            kill -$signal $process
            wait $process
            status=$?
            [ $status = 130 ] || fault "$fault: exit status $status behind $signal: $(cat "$directory/said")"
            [ "$(cat "$file")" = older ] || fault "$fault: the older file is gone behind $signal"
            only_file "$fault, $signal"
        done
    done
}

[ $# -gt 0 ] || set -- demo usage faults device interrupt
run_checks "$@"
