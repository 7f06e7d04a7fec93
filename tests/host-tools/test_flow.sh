#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# From boards in their boxes to a mesh: enroll, flash, up, map, load over the mesh, a multicast, a board that is unplugged and
# plugged in elsewhere, flash again. The nodes are those of a simulated mesh (imitate boards). `make bitstream-flow` has the same
# steps with boards that are simulated from what has been flashed.
# usage: test_flow.sh
# needs: build/firmware/node.elf build/make_boot_image build/tests/host-tools/imitate build/tests/host-tools/real_ttys.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

power_on() {
    mkfifo "$flow/hands"
    build/tests/host-tools/imitate boards $mesh "$flow/live" <"$flow/hands" >"$flow/hands.log" 2>&1 &
    helpers+=($!)
    exec {hands}>"$flow/hands"
    await "$flow/hands.log" ready
}
pull() { echo "unplug $1" >&"$hands"; }
push() {
    echo "plug $1" >&"$hands"
    await "$flow/hands.log" "done
done"
}
loaded=1-3
other_firmware=build/firmware/small-reliable.elf # short; the nodes are native ones, whatever image their boards take
check_other_firmware() { :; }
measure() { :; } # there are no cables
report() { :; }

# shellcheck source=tests/host-tools/flow.bash
source tests/host-tools/flow.bash flow "$@"
head -c 100001 build/postroad >"$flow/top.bin"
bitstream=$flow/top.bin
flow
