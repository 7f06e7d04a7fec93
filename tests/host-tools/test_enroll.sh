#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# postroad enroll on USB buses that are not there: all boards at once, one after the other, at a terminal; what it writes loads
# again and matches the same boards; what it refuses leaves no file behind.
# usage: test_enroll.sh
# needs: build/postroad
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/usb_work.bash
source tests/host-tools/usb_work.bash

pair=$(realpath hw/mesh/grid-2x1.mesh)
square=$(realpath hw/mesh/grid-2x2.mesh)
desk=$work/desk.ini

# on_bus STATUS COMMAND...: standard output in $work/out, messages in $work/err. Nothing is asked: the input is no terminal.
on_bus() {
    local status=0
    umockdev-run --device "$work/bus" -- "${@:2}" >"$work/out" 2>"$work/err" </dev/null || status=$?
    [ $status -eq "$1" ] || fail "${*:2}: exit status $status, expected $1: $(cat "$work/err")"
}

expect_file() {
    grep -qxF -- "$1" "$desk" || fail "no '$1' in: $(cat "$desk")"
}

refused() {
    on_bus "$1" build/postroad enroll "${@:3}"
    expect err "$2"
    [ ! -e "$desk" ] || { fail "a file is left behind: ${*:3}" && rm "$desk"; }
}

{
    usb_hub 1-1 1 2
    usb_device 1-1.1 0403:6010 1 8 ibpA 'iCEBreaker V1.0e' - ttyUSB1
    usb_device 1-1.2 0403:6010 1 9 ibpB 'iCEBreaker V1.0e' - ttyUSB3
    usb_device 1-2 046d:c31c 1 4 - Keyboard -
} >"$work/bus"

on_bus 0 build/postroad enroll "$pair" -o "$desk" --scan --type icebreaker
expect out '^n1: site 1, icebreaker, serial ibpB, port 1-1\.2$'
expect_file "mesh = $pair"
expect_file 'serial = ibpA'
on_bus 0 build/postroad boards "$desk"
expect out ' n0 '
expect out ' n1 '
cp "$desk" "$work/before"
on_bus 1 build/postroad enroll "$pair" -o "$desk" --scan --type icebreaker
expect err 'desk.ini is there already, expected a new name, or --force'
cmp -s "$desk" "$work/before" || fail 'the file is another one'
on_bus 0 build/postroad enroll "$pair" -o "$desk" --ports 1-1.2,1-1.1 --type icebreaker --force --json
expect out '"schema":."postroad.enroll"'
on_bus 0 build/postroad boards "$desk" --json
expect out '"board":."n1"'
[ "$(sed -n '/n0/,/path/s/serial = //p' "$desk")" = ibpB ] || fail "--ports: the first port is not site 0: $(cat "$desk")"
rm "$desk"

refused 1 'may be hx8k_b_evn, icebreaker, tang_nano_20k: expected --type' "$pair" -o "$desk" --scan
refused 1 'expected --output=TESTBED' "$pair" --scan
refused 1 '--type ulx4s: expected a folder of boards/' "$pair" -o "$desk" --scan --type ulx4s
refused 2 '0 of 2 sites have a board, nothing is written' "$pair" -o "$desk" --scan --type ulx3s_25f
refused 2 '2 of 4 sites have a board, nothing is written' "$square" -o "$desk" --scan --type icebreaker
refused 2 'nothing at port 1-7, expected a board' "$pair" -o "$desk" --ports 1-1.1,1-7 --type icebreaker
refused 1 '1-1.1 is there twice' "$square" -o "$desk" --ports 1-1.1,1-1.1 --type icebreaker
refused 1 'expected a mesh of boards' hw/mesh/grid-4x4.mesh -o "$desk" --scan --type icebreaker
refused 2 'none|No such file' "$pair" -o "$work/none/desk.ini" --scan --type icebreaker
refused 5 'no new board within 0.3 s, nothing is written' "$pair" -o "$desk" --type icebreaker --timeout 0.3
expect err 'the device at port 1-1.1 is plugged in already and does not count'

# At a terminal: the type, a site that is not free, the other one for a return key.
umockdev-run --device "$work/bus" -- script -qec "build/postroad enroll $pair -o $desk --scan" /dev/null >"$work/out" \
    < <(for answer in icecream icebreaker 2 1 icebreaker ''; do sleep 0.4; echo "$answer"; done; sleep 1)
expect out 'Which type is the board at port 1-1\.1 \(iCEBreaker V1\.0e\)\? hx8k_b_evn, icebreaker, tang_nano_20k'
expect out 'That is no free site of 0 to 1'
expect out 'n1: site 1, icebreaker, serial ibpA'
expect out 'n0: site 0, icebreaker, serial ibpB'
rm -f "$desk"

# One after the other: the devices are in the mock from the start, and their links in /sys/bus come one by one. The first board is
# plugged in twice.
{
    usb_device 1-1 0403:6015 1 8 K00001 'ULX3S FPGA 25K v3.0.8' ttyUSB0
    usb_device 1-2 0403:6015 1 9 K00002 'ULX3S FPGA 25K v3.0.8' ttyUSB1
    usb_device 1-3 0403:6015 1 11 K00001 'ULX3S FPGA 25K v3.0.8' ttyUSB2
} >"$work/bus"
cat >"$work/hands" <<'END'
bus=$UMOCKDEV_DIR/sys/bus/usb/devices
mkdir "$bus.away"
mv "$bus"/1-* "$bus.away"
"$@" &
asked=0
for device in 1-1 1-3 1-2; do
    asked=$((asked + 1))
    for ((tries = 0; tries < 600; tries++)); do
        [ "$(grep -c 'plug in the next one' "$MESSAGES")" -lt $asked ] || break
        sleep 0.1
    done
    mv "$bus.away/$device" "$bus"
    [ $device = 1-1 ] || rm -f "$bus/1-1"
done
wait $!
END
MESSAGES=$work/err on_bus 0 bash "$work/hands" build/postroad enroll "$pair" -o "$desk" --type ulx3s_25f --timeout 100
expect out 'n0: site 0, ulx3s_25f, serial K00001, port 1-1'
expect out 'n1: site 1, ulx3s_25f, serial K00002, port 1-2'
expect err 'the board at port 1-3 is that of site 0 again'
rm -f "$desk"

# The same serial on all boards: ports alone. Four sites on a board.
{
    usb_device 1-1 0403:6010 1 8 'FactoryAIOT Pro' 'SIPEED USB JTAG' ttyUSB0 ttyUSB1
    usb_device 1-2 0403:6010 1 9 'FactoryAIOT Pro' 'SIPEED USB JTAG' ttyUSB2 ttyUSB3
    usb_device 1-3 0403:6015 1 10 'bad; serial' 'ULX3S FPGA 85K v3.0.8' ttyUSB4
} >"$work/bus"
on_bus 0 build/postroad enroll "$pair" -o "$desk" --scan --type tang_nano_20k
if grep -q serial "$desk"; then fail 'a serial of two boards is in the file'; fi
on_bus 0 build/postroad boards "$desk"
on_bus 0 build/postroad enroll "$square" -o "$desk" --scan --type ulx3s_85f --force
expect_file 'path = 1-3'
if grep -q serial "$desk"; then fail 'a serial that the file cannot hold'; fi
on_bus 0 build/postroad boards "$desk"

[ $failures -eq 0 ] && echo 'test_enroll: PASS' || echo "test_enroll: FAIL: $failures"
exit $((failures > 0 ? 1 : 0))
