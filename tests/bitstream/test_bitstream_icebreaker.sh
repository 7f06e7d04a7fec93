#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Four iCEBreakers (UP5K, SERV) of one packed bitstream start from their flash, with noise in their SPRAM: the boot program copies
# the firmware, the cables train, and packets arrive exactly once, with bit errors of 1e-4.
# usage: test_bitstream_icebreaker.sh
# environment: SEED (1) chooses packets and noise
# needs: build/bitstream/icebreaker/grid-2x2/report build/tests/bitstream/traffic build/make_boot_image
# needs: build/firmware/small-traffic.elf
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sim/bitstream/make_testbed icebreaker hw/mesh/grid-2x2.mesh build/firmware/small-traffic.elf "$work/testbed" || exit 1
timeout 400 build/tests/bitstream/traffic "$work/testbed/testbed.ini" 12 "${SEED:-1}" 0 0.0001 >"$work/deliveries"
status=$?
[ $status -eq 0 ] && [ "$(wc -l <"$work/deliveries")" -eq 12 ] || {
    echo "test_bitstream_icebreaker: FAIL: exit status $status, $(wc -l <"$work/deliveries") deliveries, expected 12"
    exit 1
}
echo 'test_bitstream_icebreaker: PASS'
