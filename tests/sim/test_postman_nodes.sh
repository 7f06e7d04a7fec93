#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The product's image and verbs on discipline `postman`, on a grid and on a torus, natively, on cores and under QEMU: map, ping, a
# packet to several sites (as unicasts, for the fabric has no multicast), counters. time limit: 900 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash postman
export EXPECT_SECONDS=400   # a set is built when a simulation asks for it
sed 's/^size = 4x4/size = 2x2/' hw/mesh/postman-4x4.mesh >"$directory/four.mesh"
sed 's/^size = 4x4/size = 2x2/' hw/mesh/postman-torus-4x4.mesh >"$directory/torus.mesh"

# nodes MESH LINKS
nodes() {
    local kind
    for kind in native core qemu; do
        expect 0 '^up:postman$' $postroad up "$directory/$1.mesh" --nodes "$kind" --name postman
        expect 0 "^4 of 4 sites answer, $2 of $2 links are good" $postroad map
        expect 0 '^ *3 +2 +3/3' $postroad ping all -c 3
        expect 0 '^delivered: sequence [0-9]+, sites 0-3' $postroad send all --data "text:over lines"
        expect 0 '"answers":.*true' $postroad stats --json
        ! grep -Eq '"(aborts|splits)": ?[1-9]' <<<"$said" || fault "$kind: events of another discipline: $said"
        expect 0 '' $postroad down
    done
}

check_nodes() {
    nodes four 4
    nodes torus 8
}

# What the row does not have.
check_refusals() {
    printf '[thresholds]\nabort = 128\n' | cat "$directory/four.mesh" - >"$directory/abort.mesh"
    expect 1 'abort in \[thresholds\] with fabric postman, expected a key that this fabric has' $postroad sim \
        "$directory/abort.mesh"
}

run_checks nodes refusals
