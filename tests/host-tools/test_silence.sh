#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# A mesh in which nothing has happened for a while answers at once: sends after silence, in meshes whose sites sleep and in
# those whose sites never rest, with every kind of site, in free time and in quanta. With LONG=1 every mesh of hw/mesh, longer
# silences, a busy host, a debugger at one site, and every verb after ten minutes.
# usage: test_silence.sh [MESH...]      with LONG=1 the rounds of these meshes alone
# time limit: 5400 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash silence
long=${LONG:-0}
meshes='grid-2x2 grid-2x1'
kinds='native core qemu qemu,200'
rounds=2 quiet=1
patience=60  # seconds; a mesh that hangs hangs for ever, and one that is slow on a busy host is not what this looks for
if [ "$long" = 1 ]; then
    meshes=${*:-$(basename -s .mesh -a hw/mesh/*.mesh)}
    rounds=20 quiet=3
fi

# bring_up MESH KIND: with the name MESH-KIND. A kind is one of --nodes, or that and a quantum.
bring_up() {
    local quantum=()
    [[ $2 != *,* ]] || quantum=(--quantum "${2#*,}")
    expect 0 '^up:' "$postroad" up "hw/mesh/$1.mesh" --name "$1-${2/,/-}" --nodes "${2%,*}" "${quantum[@]}"
}

# speaks NAME: a packet from the first site to all others. A mesh without the reliable service says less of it.
speaks() {
    expect 0 'delivered|accepted' "$postroad" send all --from 0 --gateway "up:$1" --timeout $patience --data text:go
}

# rounds_of MESH: with all kinds of sites at once.
rounds_of() {
    local kind round
    for kind in $kinds; do bring_up "$1" "$kind"; done
    for ((round = 0; round < rounds; round++)); do
        sleep $quiet
        for kind in $kinds; do speaks "$1-${kind/,/-}"; done
    done
    for kind in $kinds; do expect 0 '' "$postroad" down "$1-${kind/,/-}"; done
}

# A host with more to do than it has cores.
rounds_on_a_busy_host() {
    local busy=() core rounds=5
    for ((core = 0; core < 2 * $(nproc); core++)); do
        while :; do :; done &
        busy+=($!)
    done
    rounds_of grid-2x2
    kill "${busy[@]}"
    wait "${busy[@]}" 2>/dev/null
}

# A guest that a debugger has let go on is one as any other.
rounds_with_a_debugger() {
    local round
    bring_up grid-2x2 qemu
    "$postroad" gdb 3 --gateway up:grid-2x2-qemu -- -batch -ex continue >"$directory/gdb" 2>&1 </dev/null &
    local debugger=$!
    for ((round = 0; round < 5; round++)); do
        sleep $quiet
        speaks grid-2x2-qemu
    done
    expect 0 '' "$postroad" down grid-2x2-qemu
    wait $debugger
}

# every_verb NAME SITES: that asks a mesh something.
every_verb() {
    expect 0 "$2 of $2 sites answer" "$postroad" map --gateway "up:$1" --timeout $patience
    expect 0 ' 1/1 ' "$postroad" ping all --count 1 --gateway "up:$1" --timeout $patience
    expect 0 '' "$postroad" stats --gateway "up:$1" --timeout $patience
    expect 0 "$1" "$postroad" list
    expect 0 '.' bash -c "echo help | $postroad console 1 --gateway up:$1 --timeout $patience"
    speaks "$1"
}

for mesh in $meshes; do rounds_of "$mesh"; done
if [ "$long" = 1 ] && [ $# = 0 ]; then
    rounds_on_a_busy_host
    rounds_with_a_debugger
    for kind in $kinds; do bring_up grid-2x2 "$kind"; done
    sleep 600
    for kind in $kinds; do every_verb "grid-2x2-${kind/,/-}" 4; done
fi
[ $faults = 0 ] && echo "all good"
[ $faults = 0 ]
