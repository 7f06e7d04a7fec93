#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# needs: firmware
# Packets of a native site go by relays (O10) whose operators run node.elf: under QEMU, with LONG=1 on verilated cores too. Only
# the site in the middle sends any, so whatever is counted as relayed was sent on by an image.
set -euo pipefail
cd "$(dirname "$0")/../.." || exit 1

sim() { build/postroad sim hw/mesh/grid-3x3.mesh --quiet --json --relays "$@"; }

# Every packet arrives once, and some went by relays.
check() {
    local result
    result=$(sim --load 0.05 --multicast 1 --targets 2:8 --length 4 --packets 90 "$@") || { echo "exit $?: $*"; exit 1; }
    jq -e '.result == "complete" and .failed == 0 and .relayed > 0' >/dev/null <<<"$result" || { echo "$*: $result"; exit 1; }
}

check --nodes native:4,qemu --quantum 50
[ -z "${LONG:-}" ] || check --nodes native:4,core

# Which images are relays stands in them.
relays() { riscv64-unknown-elf-nm "build/firmware/$1" | grep ' pr_image_relays$' >/dev/null; }
relays node.elf
relays hello.elf
! relays small-reliable.elf || { echo "small-reliable.elf is no relay"; exit 1; }

# Somebody has to send them.
if said=$(sim --nodes qemu 2>&1) || ! grep -q -- '--relays, expected a native node and the reliable service' <<<"$said"; then
    echo "no native node: $said"
    exit 1
fi
