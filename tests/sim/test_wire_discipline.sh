#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# A second discipline behind the port contract: tests/disciplines/wire, two sites and one wire, without multicast, strict order
# or diversion. It is a folder and its row; the operator, `sim`, `up`, the verbs and the image are the product's. Natively, on
# cores and under QEMU. time limit: 900 s
# needs: build/tests/postroad_wire build/postroad
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash wire
postroad=build/tests/postroad_wire
export DISCIPLINES='hw tests/disciplines' EXPECT_SECONDS=400   # a set is built when a simulation asks for it
pair=tests/disciplines/wire/pair.mesh

check_traffic() {
    expect 0 '1500 of 1500 deliveries, 0 lost, 0 duplicated, 0 corrupted, 0 stray' $postroad sim $pair --packets=1500
    expect 0 '1500 of 1500 deliveries, 0 lost' $postroad sim $pair --packets=1500 --load=0.6 --ordered
    ! grep -q '^events' <<<"$said" || fault "events of another discipline: $said"
    expect 0 '0 lost, 0 duplicated' $postroad sim $pair --packets=500 --reliable=0
}

check_nodes() {
    local kind
    for kind in native core qemu; do
        expect 0 '^up:wire$' $postroad up $pair --nodes "$kind" --name wire
        expect 0 '^2 of 2 sites answer, 1 of 1 links are good' $postroad map
        expect 0 '^ *1 +1 +3/3' $postroad ping all -c 3
        expect 0 '' $postroad send 0,1 --data "text:over the wire"
        expect 0 '"answers":.*true' $postroad stats --json
        ! grep -Eq '"(aborts|diversions|splits)": ?[1-9]' <<<"$said" || fault "$kind: events of another discipline: $said"
        expect 0 '' $postroad down
    done
}

# The row chooses: what the product's rows lack, and what this discipline does not have.
check_refusals() {
    expect 1 'fabric is wire, expected cutthrough, january or postman$' build/postroad sim $pair
    sed 's/^; SPDX.*/[thresholds]\nabort = 128/' $pair >"$directory/abort.mesh"
    expect 1 ':8: abort in \[thresholds\] with fabric wire, expected a key that this fabric has' $postroad sim \
        "$directory/abort.mesh"
    sed 's/wire$/string/' $pair >"$directory/string.mesh"
    expect 1 'fabric is string, expected cutthrough, january, postman or wire$' $postroad sim "$directory/string.mesh"
}

run_checks traffic nodes refusals
