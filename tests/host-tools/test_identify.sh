#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# postroad identify: a board of a testbed pings its neighbours in beats. The boards are imitated: nodes of a simulated mesh with
# board links, whose consoles are ptys, and USB devices that are not there.
# usage: test_identify.sh
# needs: build/postroad build/tests/host-tools/imitate build/tests/host-tools/real_ttys.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/usb_work.bash
source tests/host-tools/usb_work.bash

mesh=$PWD/hw/mesh/grid-2x2.mesh
export FAKE_TTYS=$work/ttys
mkdir "$work/consoles" "$FAKE_TTYS"
mkfifo "$work/commands"
build/tests/host-tools/imitate boards "$mesh" "$work/consoles" <"$work/commands" >"$work/log" 2>&1 &
nodes=$!
exec 3>"$work/commands"
trap 'exec 3>&-; kill $nodes 2>/dev/null; wait $nodes 2>/dev/null; rm -rf "$work"' EXIT

# identify STATUS BOARD ARGUMENT... real_ttys.so opens the ptys, whose ioctl umockdev would take.
identify() {
    local status=0
    # shellcheck disable=SC2016  # the inner shell's
    umockdev-run --device "$work/bus" -- bash -c 'LD_PRELOAD=$0:$LD_PRELOAD exec "$@"' \
        "$PWD/build/tests/host-tools/real_ttys.so" timeout 60 build/postroad identify "$work/testbed.ini" \
        "${@:2}" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq "$1" ] || fail "identify ${*:2}: exit status $status, expected $1: $(cat "$work/err")"
}

for ((k = 0; k < 300; k++)); do
    ! grep -q ready "$work/log" || break
    sleep 0.1
done

# Board n3 is at the port of site 2: as if two boards were mixed up.
printf '[testbed]\nmesh = %s\n' "$mesh" >"$work/testbed.ini"
for site in 0 1 2 3; do
    printf '[board n%d]\ntype = ulx3s_25f\nserial = K%d\n' $site $site >>"$work/testbed.ini"
    console=$site
    [ $site != 3 ] || console=2
    usb_device 1-$((site + 1)) 0403:6015 1 $((site + 2)) K$site ULX3S ttyUSB$site
    ln -s "$work/consoles/tty-$console" "$FAKE_TTYS/ttyUSB$site"
done >"$work/bus"

identify 0 n1 --seconds 3
expect out '^n1: [3-7] beats, ([0-9]+) of \1 pings answered$'
expect err 'n1 blinks twice a second for 3 s; each neighbour blinks more seldom'
identify 0 n0 --seconds 0.6 --json
expect out '"site":.0,'
identify 3 n3 --seconds 1
expect err 'board n3 answers as site 2 of this mesh, expected site 3: flash it again'
identify 1 n7
expect err 'no such board, expected the name of a section'
sed -i '/K1$/s/K1/K9/' "$work/testbed.ini"
identify 2 n1
expect err 'board n1: missing: no device serial K9'

[ $failures -eq 0 ] && echo 'test_identify: PASS' || echo "test_identify: FAIL: $failures"
exit $((failures > 0 ? 1 : 0))
