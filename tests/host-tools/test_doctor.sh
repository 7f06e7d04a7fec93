#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# postroad doctor: each trouble is found and named with its mending, and nothing is found where all is well. --fix writes the udev
# rules below a folder, and nothing else.
# usage: test_doctor.sh
# needs: build/postroad
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/usb_bus.bash
. tests/host-tools/usb_bus.bash

work=$(mktemp -d)
place=
trap 'rm -rf "$work" ${place:+"$place"}' EXIT
export XDG_RUNTIME_DIR=$work/run
failures=0
root=$work/root
mkdir -p "$work/run" "$root/etc/udev/rules.d" "$root/var/lock" "$work/all" "$work/old"

fail() {
    echo "FAULT: $*"
    failures=$((failures + 1))
}

# doctor STATUS PATH ARGUMENT...: PATH is where programs are.
doctor() {
    local status=0 programs=$2
    umockdev-run --device "$work/bus" -- env PATH="$programs" build/postroad doctor --root "$root" "${@:3}" \
        >"$work/out" 2>"$work/err" </dev/null || status=$?
    [ $status -eq "$1" ] || fail "doctor ${*:3}: exit status $status, expected $1: $(cat "$work/out" "$work/err")"
}

expect() {
    grep -qE -- "$1" "$work/out" || fail "no '$1' in: $(cat "$work/out")"
}

expect_not() {
    if grep -qE -- "$1" "$work/out"; then fail "'$1' in: $(cat "$work/out")"; fi
}

# Programs: one folder has what every board needs, in the other openFPGALoader is too old and iceprog is not there.
printf '#!/bin/sh\nexit 0\n' | tee "$work/all/iceprog" >"$work/all/dfu-util"
# shellcheck disable=SC2016  # the program's
printf '#!/bin/sh\ncase $* in *away*) exit 255 ;; *mute*) exit 0 ;; *) exec %s/build/postroad boards --json ;; esac\n' "$PWD" \
    >"$work/all/ssh"
printf '#!/bin/sh\nprintf "board name  cable_name\\ntangnano20k ft2232\\nulx3s ft231X\\ncolorlight-i5 cmsisdap\\n"\n' \
    >"$work/all/openFPGALoader"
printf '#!/bin/sh\nprintf "board name  cable_name\\nulx3s ft231X\\ntangnano9k ft2232\\n"; exit 1\n' >"$work/old/openFPGALoader"
chmod +x "$work"/all/* "$work"/old/*

testbed() {
    printf '[testbed]\nmesh = %s\n[board a]\ntype = %s\npath = 1-1.1\n[board b]\ntype = %s\npath = 1-1.2\n%s\n' \
        "$PWD/hw/mesh/grid-2x1.mesh" "$1" "$1" "${2:-}" >"$work/testbed.ini"
}

# All is well.
{
    usb_hub 1-1 1 2
    usb_device 1-1.1 0403:6010 1 8 A Board - ttyUSB1
    usb_device 1-1.2 0403:6010 1 9 B Board - ttyUSB3
} >"$work/bus"
doctor 0 "$work/all"
expect 'warning: udev: .*/70-postroad.rules is not there'
before=$(find "$root" | sort)
doctor 0 "$work/all" --fix
[ "$(find "$root" | sort)" = "$(printf '%s\n' "$before" "$root/etc/udev/rules.d/70-postroad.rules" | sort)" ] ||
    fail "--fix writes other files: $(find "$root")"
expect_not 'udev'
for ids in 0403:6010 0403:6015 0d28:0204; do
    grep -q "SUBSYSTEM==\"usb\", ATTR{idVendor}==\"${ids%:*}\", ATTR{idProduct}==\"${ids#*:}\".*TAG+=\"uaccess\"" \
        "$root/etc/udev/rules.d/70-postroad.rules" || fail "no rule for $ids"
done
[ "$(grep -c '0403.*6010' "$root/etc/udev/rules.d/70-postroad.rules")" -eq 2 ] || fail 'a rule is there twice'
testbed icebreaker
doctor 0 "$work/all" "$work/testbed.ini"
[ "$(id -u)" -ne 0 ] || expect '^nothing to mend$'
echo '# changed' >>"$root/etc/udev/rules.d/70-postroad.rules"
doctor 0 "$work/all"
expect 'of another version'
doctor 2 "$work/all" --fix --root "$work/nowhere"
grep -q nowhere "$work/err" || fail "--fix without a folder: $(cat "$work/err")"

# Programs.
doctor 2 "$work/old" "$work/testbed.ini"
expect 'stops: programs: iceprog is not there, which icebreaker needs'
testbed tang_nano_20k 'host = me@bench'
doctor 2 "$work/old" "$work/testbed.ini"
expect 'does not list the board tangnano20k, which tang_nano_20k needs'
expect 'install a newer openFPGALoader'
doctor 0 "$work/all" "$work/testbed.ini"

mkdir "$work/hung"
cp "$work"/all/* "$work/hung"
printf '#!/bin/sh\nexec /bin/sleep 1000\n' >"$work/hung/openFPGALoader"
doctor 2 "$work/hung" "$work/testbed.ini"
expect 'stops: programs: .openFPGALoader --list-boards. has not ended within 10 s, and tang_nano_20k needs it'

# Other hosts, which see the same USB bus.
testbed tang_nano_20k 'host = away'
doctor 2 "$work/all" "$work/testbed.ini"
expect 'stops: hosts: host away: .* through ssh does not reach it'
expect 'ssh away postroad boards. must work without a question'
testbed tang_nano_20k 'host = mute'
doctor 2 "$work/all" "$work/testbed.ini"
expect 'stops: hosts: host mute: .* prints no list of devices'
testbed ulx3s_25f 'host = me@bench'
doctor 2 "$work/all" "$work/testbed.ini"
expect 'board b: me@bench: wrong type: the device at port 1-1.2 is 0403:6010'
expect 'compare with .ssh me@bench postroad boards'

# Boards that are not there, and of another type.
testbed ulx3s_25f
doctor 2 "$work/all" "$work/testbed.ini" --json
expect '"check":.*"boards"'
expect 'board a: wrong type: the device at port 1-1.1 is 0403:6010'
expect '"ok":.*false'
printf '[testbed]\nmesh = none.mesh\n' >"$work/testbed.ini"
doctor 1 "$work/all" "$work/testbed.ini"

# Locks: of a process that has ended, of one that runs, of a mesh whose daemon has died.
sleep 0 &
ended=$!
wait $ended
printf '%10d\n' $ended >"$root/var/lock/LCK..ttyUSB1"
doctor 0 "$work/all"
expect "warning: locks: .*LCK..ttyUSB1 is of process $ended, which has ended"
printf '%10d\n' $$ >"$root/var/lock/LCK..ttyUSB1"
doctor 2 "$work/all"
expect "stops: locks: .*process $$ uses the serial line"
echo nonsense >"$root/var/lock/LCK..ttyUSB1"
doctor 0 "$work/all"
rm "$root/var/lock/LCK..ttyUSB1"
(umask 077 && mkdir -p "$work/run/postroad-$(id -u)/dead" && echo $ended >"$work/run/postroad-$(id -u)/dead/pid")
doctor 0 "$work/all"
expect 'locks: the daemon of mesh dead has died'
expect 'postroad down dead'
rm -r "$work/run/postroad-$(id -u)"

# A hub that lives from the bus, with two boards of 300 mA.
{
    usb_hub 1-1 1 2 | sed '/^$/d'
    printf 'A: bmAttributes=80\n\n'
    for port in 1 2; do
        usb_device 1-1.$port 0403:6010 1 $((port + 3)) "S$port" Board - "ttyUSB$port" |
            sed '1,/busnum/s/^A: busnum/A: bMaxPower=300mA\nA: busnum/'
    done
} >"$work/bus"
doctor 0 "$work/all"
expect 'hubs: hub 1-1 has no power supply of its own, and it and its devices may take 700 mA of 500 mA'
[ "$(grep -c hubs: "$work/out")" -eq 1 ] || fail 'a hub is there twice'

# ftdi_sio on interface A; then somebody has the line open, a pty.
usb_device 1-1 0403:6010 1 8 A Board ttyUSB0 ttyUSB1 >"$work/bus"
doctor 0 "$work/all"
expect 'ftdi_sio holds interface A of the device at port 1-1'
expect 'echo 1-1:1.0 >/sys/bus/usb/drivers/ftdi_sio/unbind'
script -qec "tty >$work/tty; exec sleep 20" /dev/null >"$work/script" </dev/null &
holder=$!
for ((k = 0; k < 50; k++)); do
    [ ! -s "$work/tty" ] || break
    sleep 0.1
done
sed -i "/^N: ttyUSB0/d; s,DEVNAME=/dev/ttyUSB0,DEVNAME=$(cat "$work/tty")," "$work/bus"
doctor 2 "$work/all"
kill $holder
wait $holder 2>"$work/killed"
expect 'stops: ftdi_sio: /dev/pts/[0-9]+, interface A of the device at port 1-1, is open in process [0-9]+ \(.*\) of user '

# Without files in /dev, as in a container.
usb_device 1-1 0403:6010 1 8 A Board - ttyUSB1 >"$work/bus"
for file in bus/usb/001/008 ttyUSB1; do
    # shellcheck disable=SC2016  # the inner shell's
    umockdev-run --device "$work/bus" -- bash -c 'rm "$UMOCKDEV_DIR/dev/$0"; exec "$@"' $file env PATH="$work/all" \
        build/postroad doctor --root "$root" >"$work/out" 2>"$work/err"
    [ $? -eq 2 ] || fail "without /dev/$file nothing stops: $(cat "$work/out")"
    expect "stops: devices: /dev/$file, .* of the device at port 1-1, is not there"
    expect_not 'this user may not'
done

# Permission and groups.
if [ "$(id -u)" -eq 0 ]; then
    # An installed postroad, in a folder that others may read.
    umask 022
    place=$(TMPDIR=/tmp mktemp -d)
    chmod 755 "$place"
    install -D build/postroad "$place/bin/postroad"
    mkdir -p "$place/lib/postroad"
    for conf in boards/*/board.conf; do install -D -m 644 "$conf" "$place/share/postroad/$conf"; done
    # shellcheck disable=SC2016  # the inner shell's
    TMPDIR=$place umockdev-run --device "$work/bus" -- bash -c 'chmod 755 "$UMOCKDEV_DIR"
        chmod 600 "$UMOCKDEV_DIR"/dev/bus/usb/001/008; cd /
        exec setpriv --reuid 65534 --regid 65534 --clear-groups "$0"/bin/postroad doctor --root "$0"' "$place" \
        >"$work/out" 2>"$work/err"
    [ $? -eq 2 ] || fail 'a device without permission stops nothing'
    expect 'stops: udev: this user may not write to /dev/bus/usb/001/008, the device at port 1-1'
    expect 'warning: groups: this user is not in the group plugdev'
    expect 'sudo adduser \$USER dialout'
else
    echo 'left out: a device without permission (needs root)'
fi

[ $failures -eq 0 ] && echo 'test_doctor: PASS' || echo "test_doctor: FAIL: $failures"
exit $((failures > 0 ? 1 : 0))
