#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# A site that restarts hundreds of times, most of them unnoticed by others, claims no packet to be settled that was not delivered:
# the low bits of its epoch come round again and again.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
directory=$(mktemp -d "${TMPDIR:-/tmp}/restarts.XXXXXX")
trap 'rm -rf "$directory"' EXIT
cat >"$directory/small.mesh" <<'MESH'
[mesh]
topology = torus
size = 2x3
[thresholds]
retry_limit = 2
divert = 1
[buffers]
max_packet = 500
MESH
build/postroad sim "$directory/small.mesh" --packets 3000 --traffic neighbour --load 0.5 --pool 7 --window 16 --length 1 \
    --multicast 0.5 --targets 5 --stall 50 --fault reset:0:~1500:2 --seed 1 >"$directory/log" 2>&1
status=$?
if [ "$status" != 4 ]; then
    cat "$directory/log"
    echo "exit status $status, expected 4: failures reported, and nothing lost"
    exit 1
fi
grep -q ' 0 lost, 0 duplicated' "$directory/log"
