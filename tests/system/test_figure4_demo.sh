#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The demo's scene of Figure 4 on whole sites: the deadlock arises, both multicasts are aborted, and all four deliveries come. It
# is the same in every run. With native operators and under QEMU there are the same aborts, retransmissions and deliveries.
# needs: build/figure4
set -euo pipefail
cd "$(dirname "$0")/../.."

mesh=hw/mesh/deadlock-figure-4.mesh

# What was aborted, sent again, and delivered, without the clocks.
decisions() {
    sed -nE 's/^ *clock +[0-9]+ +//; /router aborts|resent after abort|delivered|deliveries/p' | sort
}

first=$(build/figure4 $mesh)
echo "$first"
grep -q 'deadlock: no word has moved' <<<"$first"
grep -q '4 of 4 deliveries, each once; 2 aborts, 2 retransmissions' <<<"$first"
[ "$first" = "$(build/figure4 $mesh)" ] || { echo "a second run differs"; exit 1; }
for nodes in native qemu native:0,qemu:1; do
    said=$(build/figure4 $mesh $nodes)
    diff <(decisions <<<"$first") <(decisions <<<"$said") || { echo "$nodes: other decisions than on cores"; exit 1; }
done

status=0
build/figure4 hw/mesh/grid-4x4.mesh 2>/dev/null || status=$?
[ $status -eq 1 ] || { echo "exit status $status for a mesh of the wrong size, expected 1"; exit 1; }
