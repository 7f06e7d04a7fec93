#!/usr/bin/env bash
# The demo's scene of Figure 4 on whole sites: the deadlock arises, both multicasts are aborted or one is, and all four
# deliveries come. It is the same in every run.
set -euo pipefail
cd "$(dirname "$0")/../.."

make --no-print-directory build/sim/figure4 >/dev/null
first=$(build/sim/figure4 sim/meshes/deadlock-figure-4.mesh)
echo "$first"
grep -q 'deadlock: no word has moved' <<<"$first"
grep -q 'the router aborts' <<<"$first"
grep -q 'resent after abort' <<<"$first"
grep -q '4 of 4 deliveries, each once' <<<"$first"
[ "$first" = "$(build/sim/figure4 sim/meshes/deadlock-figure-4.mesh)" ] || { echo "a second run differs"; exit 1; }

status=0
build/sim/figure4 sim/meshes/grid-4x4.mesh 2>/dev/null || status=$?
[ $status -eq 1 ] || { echo "exit status $status for a mesh of the wrong size, expected 1"; exit 1; }
