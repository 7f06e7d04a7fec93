#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 300 s
# Small operators (firmware/small) on verilated cores with 8192 bytes of RAM: all sites of a mesh with the raw service, and
# targets of native sites with the reliable service under corruption.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
images=build/firmware
for size in 2x2 4x4; do
    cat >"$work/$size.mesh" <<MESH
[mesh]
topology = grid
size = $size
[routing]
unicast = adaptive
[buffers]
max_packet = 56
[site]
ram_bytes = 8192
MESH
done

run 0 "$work/2x2.mesh" --reliable 0 --nodes core --firmware $images/small-raw.hex --quiet --json --multicast 0.3 --targets 2:3 \
    --load 0.0001 --packets 150
expect_exactly_once
run 0 "$work/2x2.mesh" --nodes native:0-2,core:3 --firmware $images/small-receiver.hex --quiet --json --load 0 --warmup 0 \
    --broadcast 0:20000 --packets 60 --fault corrupt:0.002
expect_exactly_once
[ "$(value corrupted_words)" -gt 0 ] || fail "no word was corrupted"
run 0 "$work/4x4.mesh" --nodes native:0-4,core:5-6,native:7-8,core:9-10,native:11-15 --firmware $images/small-receiver.hex \
    --quiet --json --load 0 --warmup 0 --broadcast 0:30000 --packets 60 --fault corrupt:0.0005
expect_exactly_once
[ "$(value corrupted_words)" -gt 0 ] || fail "no word was corrupted"
finish
