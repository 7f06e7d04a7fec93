#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# postroad boards on USB buses that are not there: sixteen boards of a testbed with faults in five get their verdicts at once;
# identical chips without a serial, a serial that all boards have, hubs behind hubs, numbers that look octal, no permission.
# usage: test_boards.sh
# needs: build/postroad
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/usb_work.bash
source tests/host-tools/usb_work.bash

# boards STATUS ARGUMENT...: standard output in $work/out, messages in $work/err.
boards() {
    local status=0
    umockdev-run --device "$work/bus" -- build/postroad boards "${@:2}" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq "$1" ] || fail "boards ${*:2}: exit status $status, expected $1: $(cat "$work/err")"
}

# Nothing is plugged in.
usb_hub 1-1 1 2 >"$work/bus"
boards 0
expect err 'none of 0 USB devices may be a board'
[ ! -s "$work/out" ] || fail 'boards without a board prints a table'

# Four by four ULX3S behind two hubs, and what is wrong with five of them.
cat >"$work/mesh.mesh" <<'END'
[mesh]
topology = grid
size = 4x4
[links]
board = yes
[buffers]
max_packet = 56
END
{
    printf '[testbed]\nmesh = mesh.mesh\n'
    for site in {0..15}; do
        printf '[board n%d]\ntype = ulx3s_25f\nserial = K%05d\n' "$site" "$site"
        case $site in
            3) echo 'path = 2-1.4' ;;  # another port
            12) echo 'path = 2-3.1' ;; # one of two with this serial: they are told apart
        esac
    done
} >"$work/testbed.ini"
{
    usb_hub 2-1 2 2
    usb_hub 2-3 2 3
    for site in {0..15}; do
        number=$(printf '%03d' $((site + 8))) # 008 and 010 are no octal numbers
        port=2-$((site / 8 * 2 + 1)).$((site % 8 + 1))
        serial=$(printf 'K%05d' "$site")
        case $site in
            1) continue ;;            # not plugged in
            2) serial=K00005 ;;       # the serial of another one
            12) port=2-3.1 ;;
            8) port=2-3.2.1 serial=K00012 ;; # behind a further hub, with a serial that is there twice
        esac
        ids=0403:6015
        [ "$site" != 9 ] || ids=0403:6010
        usb_device "$port" $ids 2 "$number" "$serial" 'ULX3S FPGA 25K v3.0.8' "ttyUSB$site"
    done
    usb_device 1-4 046d:c31c 1 4 - Keyboard -
    usb_device 1-5 0403:6015 1 5 K09999 'ULX3S FPGA 25K v3.0.8' ttyUSB40
} >"$work/bus"
boards 2 "$work/testbed.ini"
for board in 0 4 6 7 10 11 12 13 14 15; do
    expect out " n$board +ulx3s_25f"
done
expect out '^2-3\.1 .* K00012 .* n12 '
expect err 'board n1: missing: no device serial K00001, expected ulx3s_25f \(0403:6015\) plugged in and powered'
expect err 'board n2: missing: no device serial K00002'
expect err 'board n5: ambiguous: 2 devices fit, at the ports 2-1\.3, 2-1\.6: expected path = one of them'
expect err 'board n8: missing: no device serial K00008'
expect err 'board n9: wrong type: the device at port 2-3\.2 is 0403:6010, expected 0403:6015 of a ulx3s_25f'
expect err 'extra: the device at port 1-5 \(ulx3s_25f, ulx3s_85f\) is no board of'
expect err 'extra: the device at port 2-3\.2\.1 '
if grep -q Keyboard "$work/out"; then fail 'a keyboard is listed'; fi
[ "$(grep -c '^postroad boards: board' "$work/err")" -eq 5 ] || fail "not five verdicts: $(cat "$work/err")"

boards 2 "$work/testbed.ini" --json
for key in '"bus":.2' '"device":.20,' '"hub":."2-3.2"' '"tty":."/dev/ttyUSB14"' '"driver":."ftdi_sio"' '"verdict":."wrong type"' \
    '"ok":.false' '"serial_unique":.false' '"board":."n12"'; do
    expect out "$key"
done

# Identical chips: two without a serial, two with that of all boards of the vendor.
{
    usb_device 1-1 0403:6010 1 8 - 'Dual RS232-HS' ttyUSB0 ttyUSB1
    usb_device 1-2 0403:6010 1 9 - 'Dual RS232-HS' ttyUSB2 ttyUSB3
    usb_device 1-3 0403:6010 1 10 'FactoryAIOT Pro' 'SIPEED USB JTAG' ttyUSB4 ttyUSB5
    usb_device 1-4 0403:6010 1 11 'FactoryAIOT Pro' 'SIPEED USB JTAG' ttyUSB6 ttyUSB7
} >"$work/bus"
# testbed LINE-OF-A LINE-OF-B [TYPE]
testbed() {
    printf '[testbed]\nmesh = %s\n[board a]\ntype = %s\n%s\n[board b]\ntype = %s\n%s\n' "$PWD/hw/mesh/grid-2x1.mesh" \
        "${3:-hx8k_b_evn}" "$1" "${3:-hx8k_b_evn}" "$2" >"$work/testbed.ini"
}
testbed 'path = 1-1' 'path = 1-2'
boards 0 "$work/testbed.ini"
testbed '' 'path = 1-2'
boards 2 "$work/testbed.ini"
expect err 'board a: ambiguous: 4 devices fit, at the ports 1-1, 1-2, 1-3, 1-4'
testbed 'serial = FactoryAIOT Pro' 'path = 1-1' tang_nano_20k
boards 2 "$work/testbed.ini"
expect err 'board a: ambiguous: 2 devices fit, at the ports 1-3, 1-4'
testbed $'serial = FactoryAIOT Pro\npath = 1-3' $'serial = FactoryAIOT Pro\npath = 1-4' tang_nano_20k
boards 0 "$work/testbed.ini"
expect out '^1-4 .* FactoryAIOT Pro .* b '
testbed $'serial = FactoryAIOT Pro\npath = 1-2' 'path = 1-1' tang_nano_20k
boards 2 "$work/testbed.ini"
expect err 'board a: missing: no device serial FactoryAIOT Pro at port 1-2; serial FactoryAIOT Pro is at port 1-3'
testbed 'path = 1-7' $'path = 1-1\nhost = me@bench'
boards 2 "$work/testbed.ini"
expect err 'board a: missing: no device at port 1-7'
expect err 'board b: plugged in at me@bench'

# One device, two boards.
usb_device 1-1 0403:6010 1 8 S1 'Dual RS232-HS' ttyUSB0 >"$work/bus"
testbed 'path = 1-1' 'serial = S1'
boards 2 "$work/testbed.ini"
expect err 'board a: claimed twice: the device at port 1-1 is board b too'
expect err 'board b: claimed twice: the device at port 1-1 is board a too'

# A serial that would write on the terminal.
printf 'P: %s\nN: bus/usb/001/003\nE: DEVTYPE=usb_device\nE: SUBSYSTEM=usb\nA: idVendor=0403\nA: idProduct=6010\nA: serial=%s\n' \
    "$(usb_folder 1-1)" 'a\033[31mb' >"$work/bus"
boards 0
if grep -q $'\033' "$work/out"; then fail 'a control character of a device is printed'; fi

if [ "$(id -u)" -eq 0 ]; then
    usb_device 1-1 0403:6010 1 8 S1 'Dual RS232-HS' ttyUSB0 >"$work/bus"
    # Root without the privilege to open everything.
    # shellcheck disable=SC2016  # the inner shell's
    umockdev-run --device "$work/bus" -- bash -c 'chmod 0 "$UMOCKDEV_DIR"/dev/bus/usb/001/008
        exec setpriv --bounding-set=-dac_override,-dac_read_search build/postroad boards' >"$work/out" 2>"$work/err"
    expect out '^1-1 .* denied'
else
    echo 'left out: a device without permission (needs root)'
fi

build/postroad boards "$work/none.ini" >"$work/out" 2>"$work/err"
[ $? -eq 1 ] || fail 'a testbed that is not there'
expect err 'none.ini: No such file or directory, expected a testbed file'

[ $failures -eq 0 ] && echo 'test_boards: PASS' || echo "test_boards: FAIL: $failures"
exit $((failures > 0 ? 1 : 0))
