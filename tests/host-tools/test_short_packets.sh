#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Every question that `map`, `ping` and `stats` ask has an answer that fits a packet of the mesh, however short those are: meshes
# of 31 words and of the fewest that a .mesh file may name, their nodes on cores and native.
# needs: build/tests/host-tools/imitate
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash short
printf '[mesh]\ntopology=grid\nsize=2x1\n[buffers]\nmax_packet=13\n' >"$directory/shortest.mesh"

check_mesh() {
    expect 0 '^up:short$' $postroad up "$1" --nodes "$2" --name short
    expect 0 '^2 of 2 sites answer, 1 of 1 links are good' $postroad map
    expect 0 '^ *1 +1 +2/2' $postroad ping all -c 2
    expect 0 '"answers":.*true' $postroad stats --json
    ! grep -q '"answers":.*false' <<<"$said" || fault "$1, $2: not all counters: $said"
    expect 0 '' $postroad down
}

check_fake() {
    node_at "$directory/fake" -x 2 -y 1 -p "$1"
    expect 0 '^2 of 2 sites answer, 1 of 1 links are good' $postroad map -t 2 -g "unix:$directory/fake"
    expect 0 '^ *1 ' $postroad stats -t 2 -g "unix:$directory/fake"
    node_gone
}

for mesh in hw/mesh/deadlock-figure-4.mesh "$directory/shortest.mesh"; do
    check_mesh "$mesh" native
    check_mesh "$mesh" core
done
check_fake 13
check_fake 127
echo "$faults faults"
[ "$faults" = 0 ]
