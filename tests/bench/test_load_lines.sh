#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# A load by one serial line takes as long as tests/bench/results/load.csv says, within 2 %, for longer firmware takes longer.
# Sixteen sites take at most 1.2 times what one takes by its own line if each record waits for an answer: 7471204 clocks with an
# image that took 5749784 with records in flight, and longer as the image does.
# LONG=1: sixteen sites, too.
# needs: build/tests/bench/load-4x4/one_line build/make_boot_image build/firmware/node.elf build/firmware/node.hex
set -euo pipefail
cd "$(dirname "$0")/../.."

results=tests/bench/results/load.csv
recorded() { sed -n "s/^$1,\([0-9]*\),.*/\1/p" $results; }

measure() {
    local before now
    before=$(recorded "$1")
    now=$(tests/bench/load/load_lines "$1" | cut -d, -f2)
    echo "sites $1: $now clocks, $before in $results"
    ((50 * (now - before) <= before && 50 * (before - now) <= before)) ||
        { echo "not the same: make bench-load-lines"; exit 1; }
}

sixteen=$(recorded 16)
most=$(($(recorded 1) * 12 * 7471204 / 10 / 5749784))
((sixteen > 0 && sixteen <= most)) || { echo "sixteen sites take $sixteen clocks, expected $most at most"; exit 1; }
measure 1
[ -z "${LONG:-}" ] || measure 16
