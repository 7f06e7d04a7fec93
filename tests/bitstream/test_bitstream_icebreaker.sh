#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Four iCEBreakers (UP5K, SERV) of one packed bitstream start from their flash, with noise in their SPRAM: the boot program copies
# the firmware, the cables train, and packets arrive exactly once, with bit errors of 1e-4. Then two of them lose their power, one
# after the other, while they send to each other. Each comes back with a new epoch: its first packets have numbers that the other
# board has seen before, and arrive all the same.
# usage: test_bitstream_icebreaker.sh
# runs in: test-long
# environment: SEED (1) chooses packets and noise
# needs only: build/bitstream/icebreaker/grid-2x2/report build/tests/bitstream/traffic build/make_boot_image
# needs only: build/firmware/small-traffic.elf
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
source tests/tools.bash

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

boards/make_testbed icebreaker hw/mesh/grid-2x2.mesh build/firmware/small-traffic.elf "$work/testbed" || exit 1

# run TESTBED PACKETS FAULTS: the boards deliver the packets exactly once, all of them if there are no faults.
run() {
    timeout 400 build/tests/bitstream/traffic "$work/testbed/$1.ini" "$2" "${SEED:-1}" "$3" 0.0001 >"$work/deliveries"
    local status=$? arrived
    arrived=$(wc -l <"$work/deliveries")
    [ $status -eq 0 ] && [ "$arrived" -ge $(($2 - 4 * $3)) ] || {
        echo "test_bitstream_icebreaker: FAIL: $1: exit status $status, $arrived deliveries of $2"
        exit 1
    }
}

run testbed 12 0
# The sites 0 and 1 of the same bitstream, as a mesh of their own.
awk '/^\[/ { left_out = /s[23]\]/ } /^mesh/ { sub(/2x2/, "2x1") } !left_out && !/s[23]\./' "$work/testbed/testbed.ini" \
    >"$work/testbed/two.ini"
run two 16 2
echo 'test_bitstream_icebreaker: PASS'
