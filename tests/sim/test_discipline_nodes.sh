#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The product's image and verbs on every discipline but the default one, natively, on cores and under QEMU: map, ping, a packet
# to several sites (as unicasts where the fabric has no multicast), counters. Discipline `wire` is a folder and its row: operator,
# verbs and image are the product's. Cores of each discipline are a set of verilated sites: `make test` has those of one, and of
# each discipline one kind of site, which SEED draws.
# usage: test_discipline_nodes.sh [nodes | refusals | routes | keys | traffic | graph | source_routes | scouts | reroute]...
# environment: LONG (1: cores of each discipline)
# time limit: 1800 s
# needs: build/tests/postroad_wire build/tests/generate_mesh build/postroad build/firmware/small-raw.elf
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash disciplines
postroad=build/tests/postroad_wire
export DISCIPLINES='hw tests/disciplines' EXPECT_SECONDS=400   # a set is built when a simulation asks for it
pair=tests/disciplines/wire/pair.mesh

# name;file;settings, as a sed script;sites;links;kinds of site in `make test`;events that it does not have
meshes='postman;hw/mesh/postman-4x4.mesh;s/size = 4x4/size = 2x2/;4;4;native core qemu;aborts|splits
postman-torus;hw/mesh/postman-torus-4x4.mesh;s/size = 4x4/size = 2x2/;4;8;native qemu;aborts|splits
january;hw/mesh/january-4x4.mesh;s/size = 4x4/size = 2x2/;4;4;native qemu;deferrals|dead_flits
wire;tests/disciplines/wire/pair.mesh;;2;1;native qemu;aborts|diversions|splits
wormlan;hw/mesh/wormlan-lan.mesh;;8;12;native qemu;diversions|splits
wormlan-tree;hw/mesh/wormlan-lan.mesh;s/^.mesh.$/[wormlan]\nmulticast = tree\n[mesh]/;8;12;native;diversions|splits
wormlan-flush;hw/mesh/wormlan-lan.mesh;s/^.mesh.$/[wormlan]\nmulticast = flush\n[mesh]/;8;12;native;diversions|splits
wormlan-parts;hw/mesh/wormlan-lan.mesh;s/^.mesh.$/[wormlan]\nmulticast = interrupt\n[mesh]/;8;12;native;splits
star;tests/disciplines/star/star.mesh;;5;5;native qemu;aborts|diversions|splits
routed;tests/disciplines/routed/lan.mesh;;6;10;native qemu;aborts|diversions|splits'

# nodes NAME SITES LINKS KINDS EVENTS: EVENTS are those that the discipline does not have.
nodes() {
    local kind
    for kind in $4; do
        expect 0 "^up:$1\$" $postroad up "$directory/$1.mesh" --nodes "$kind" --name "$1"
        expect 0 "^$2 of $2 sites answer, $3 of $3 links are good" $postroad map
        expect 0 "^ *$(($2 - 1)) +[1-3] +3/3" $postroad ping all -c 3
        expect 0 '^delivered: sequence [0-9]+, sites 0-' $postroad send all --data "text:over links"
        expect 0 '"answers":.*true' $postroad stats --json
        ! grep -Eq "\"($5)\": ?[1-9]" <<<"$said" || fault "$1, $kind: events of another discipline: $said"
        expect 0 '' $postroad down
    done
}

check_nodes() {
    local name file script sites links kinds events turn=${SEED:-1}
    while IFS=';' read -r name file script sites links kinds events; do
        sed "$script" "$file" >"$directory/$name.mesh"
        read -ra kinds <<<"$kinds"
        [ -z "${LONG:-}" ] || kinds=(native core qemu)
        [ -n "${LONG:-}" ] || kinds=("${kinds[turn++ % ${#kinds[@]}]}")
        nodes "$name" "$sites" "$links" "${kinds[*]}" "$events"
    done <<<"$meshes"
}

# The rows choose: what the product's rows lack, and what a discipline does not have.
check_refusals() {
    local name
    expect 1 'fabric is wire, expected csr, cutthrough, january, postman or wormlan$' build/postroad sim $pair
    for name in postman wire; do
        printf '[thresholds]\nabort = 128\n' | cat "$directory/$name.mesh" - >"$directory/abort.mesh"
        expect 1 "abort in \[thresholds\] with fabric $name, expected a key that this fabric has" $postroad sim \
            "$directory/abort.mesh"
    done
    sed 's/^8.2 = 9.3 5/8.2 = 9.3 40/' hw/mesh/wormlan-lan.mesh >"$directory/far.mesh"
    expect 1 'far.mesh:[0-9]*: slack 64 with a cable of 40 clocks, expected slack of at least 128 words$' \
        $postroad sim "$directory/far.mesh"
    sed 's/^links = 4/links = 16/' hw/mesh/wormlan-lan.mesh >"$directory/ports.mesh"
    expect 1 'ports.mesh:[0-9]*: links 16 with fabric wormlan, expected at most 15$' $postroad sim "$directory/ports.mesh"
    sed 's/wire$/string/' $pair >"$directory/string.mesh"
    expect 1 'fabric is string, expected csr, cutthrough, january, postman, wormlan, routed, star or wire$' \
        $postroad sim "$directory/string.mesh"
}

# An image that puts no routes in front of packets, and one whose buffers have no room for them.
check_routes() {
    local image=build/firmware/small-raw.elf words
    for words in 40 120; do
        sed "s/max_packet = 96/max_packet = $words/" tests/disciplines/routed/grid.mesh >"$directory/words-$words.mesh"
    done
    expect 1 "$image: the image has no routes, which fabric routed expects of operators: use --nodes native$" \
        $postroad up "$directory/words-40.mesh" --reliable 0 --nodes core --firmware $image
    expect 1 'the image is built for 128 words a packet, the mesh has 135: ' $postroad up "$directory/words-120.mesh" --nodes core
}

# The keys that `wire` alone has, from its folder: parser, report, manual, and the fabric itself, which has one of them as a
# parameter and one as a strap, counts, and knows the clock of the mesh.
check_keys() {
    local slow=$directory/slow.mesh clocks
    sed "\$ a [wire]\nstages = 4" $pair >"$directory/long.mesh"
    sed "\$ a [wire]\nstages = 4\nslot = 8" $pair >"$slow"
    expect 0 '"fabric_keys": *"wire.stages=1 wire.slot=1"' $postroad sim $pair --packets=100 --load=0.01 --json
    clocks=$(sed -n 's/.*,"latency_clocks":{[^}]*"max":\([0-9]*\)}.*/\1/p' <<<"$said")
    expect 0 ",\"latency_clocks\":[^}]*\"max\":$((clocks + 3))}" $postroad sim "$directory/long.mesh" --packets=100 \
        --load=0.01 --json
    expect 0 '"fabric_keys": *"wire.stages=4 wire.slot=8"' $postroad sim "$slow" --packets=100 --load=0.01 --json
    expect 0 '^events  *[1-9][0-9]* slots' $postroad sim "$slow" --packets=100 --load=0.01
    sed 's/^slot.*/slot = 16/' "$slow" >"$directory/bad.mesh"
    expect 1 'bad.mesh:[0-9]*: slot is 16, expected a number of clocks from 1 to 15$' $postroad sim "$directory/bad.mesh"
    sed 's/^slot.*/slot = 15/' "$slow" >"$directory/bad.mesh"
    expect 1 'bad.mesh:[0-9]*: stages = 4 with slot = 15, expected a shorter slot$' $postroad sim "$directory/bad.mesh"
    expect 0 '^. `wire` . `slot` . a number of clocks from 1 to 15 . `1` . words leave in one of so many clocks of the mesh' \
        build/tests/generate_mesh --keys
    expect 1 "stages in \[wire\] with fabric cutthrough, expected a key that this fabric has\$" \
        $postroad sim <(sed 's/fabric = wire/fabric = cutthrough/' "$slow")
}

# Traffic of `wire`: of events, its own alone.
check_traffic() {
    expect 0 '1500 of 1500 deliveries, 0 lost, 0 duplicated, 0 corrupted, 0 stray' $postroad sim $pair --packets=1500
    grep -q '^events  *0 slots$' <<<"$said" || fault "events of another discipline: $said"
}

# A graph with a switch: its far ends are those of the file, nobody answers for the switch, and no traffic is for it.
check_graph() {
    local star=tests/disciplines/star/star.mesh
    expect 0 '^up:star$' $postroad up $star --nodes native --name star
    expect 0 '^ *4: 0-5\.4$' $postroad map
    expect 0 '^ *5 \(switch\): 0-0\.0 1-1\.0 2-2\.0 3-3\.0 4-4\.0$' $postroad map --mesh $star
    expect 0 '^1 switch, which nobody answers for, 0 links between them$' $postroad map
    $postroad map --json | jq -r '.links[] | "\(.site).\(.link[5:]) = \(.to).\(.to_link[5:])"' >"$directory/far_ends"
    [ "$(<"$directory/far_ends")" = $'0.0 = 5.0\n1.0 = 5.1\n2.0 = 5.2\n3.0 = 5.3\n4.0 = 5.4' ] ||
        fault "map --json has other far ends: $(<"$directory/far_ends")"
    expect 0 '^ *4 +2 +3/3' $postroad ping all -c 3
    expect 1 'SITES: 5 is a switch, expected sites that have an operator$' $postroad ping 5
    expect 0 '' $postroad down
    printf '[mesh]\nfabric = star\ntopology = grid\nsize = 2x2\n' >"$directory/grid.mesh"
    expect 1 'fabric star on a grid, expected a graph$' $postroad sim "$directory/grid.mesh"
    expect 0 '900 of 900 deliveries, 0 lost, 0 duplicated, 0 corrupted, 0 stray' $postroad sim $star --packets=900 --load 0.1
    expect 1 'no neighbours here' $postroad sim $star --traffic neighbour
    expect 1 'a switch has none' $postroad sim $star --nodes core:5
    expect 1 'faults on cables with a delay' $postroad sim $star --fault corrupt:0.01
    expect 0 'complete' $postroad sim $star --packets=100 --load 0.1 --plot "$directory/star"
}

# Routes over switches that have no operator: discovery finds them, and traffic of any kind arrives once.
check_source_routes() {
    local lan=tests/disciplines/routed/lan.mesh
    expect 0 '^up:lan$' $postroad up $lan --nodes native --name lan
    expect 0 '^ *8 \(switch\): 0-3\.0 1-4\.0 2-7\.2 3-9\.1$' $postroad map
    expect 0 '^4 switches without an operator; [0-9]+ scouts have looked for cables$' $postroad map
    expect 0 '^delivered: sequence [0-9]+, sites 0-5, ' $postroad send all --data "text:over switches"
    expect 0 '^ +8 +port 3 +9 ' $postroad trace 3 5
    [ "$(grep -cE '^ +[0-9]+ +port [0-9] ' <<<"$said")" = 3 ] || fault "not three links: $said"
    start "$directory/heard" $postroad listen all --count 6
    await "$directory/heard" 'listening at 6 sites'
    expect 1 'SITES: 6 is a switch, expected sites that have an operator$' $postroad listen 5,6
    expect 1 'site 6 is a switch, expected one that has an operator$' $postroad ping 0 --from 6
    expect 1 'site 0 runs natively' $postroad load all
    expect 0 '' $postroad down
    expect 0 '0 lost, 0 duplicated, 0 corrupted, 0 stray' $postroad sim $lan --packets=900 --load 0.05 --fault stop:any:~900:300
    expect 1 'site is 6, a switch, expected one that has an operator$' $postroad sim $lan --fault stop:6:5
    expect 0 '900 of 900 deliveries, 0 lost, 0 duplicated, 0 corrupted, 0 stray' $postroad sim $lan --packets=900 \
        --plot "$directory/lan"
    printf '[routed]\ngap = 3\n' | cat $pair - >"$directory/others.mesh"
    expect 1 'gap in \[routed\] with fabric wire, expected a key that this fabric has$' $postroad sim "$directory/others.mesh"
    printf '[routed]\ngap = 16\n' | cat $lan - >"$directory/gap.mesh"
    expect 1 'gap is 16, expected a number of clocks up to 15$' $postroad sim "$directory/gap.mesh"
    printf '[routed]\ngap = 9\nturns = fixed\n' | cat $lan - >"$directory/gap.mesh"
    expect 0 '900 of 900 deliveries, 0 lost, 0 duplicated, 0 corrupted, 0 stray' $postroad sim "$directory/gap.mesh" --packets=900
    sed 's/3x2/16x1/' tests/disciplines/routed/grid.mesh >"$directory/long.mesh"
    expect 1 'site 0 has no route to site 15, expected one through at most 15 switches$' $postroad sim "$directory/long.mesh"
}

# far_ends FILE: as `postroad map --json` has them, and as a .mesh has them.
far_ends() {
    if [ "${1##*.}" = mesh ]; then
        sed -n 's/^\([0-9]*\.[0-9]*\) = \([0-9]*\.[0-9]*\).*/\1 \2/p' "$1"
    else
        jq -r '.links[] | "\(.site).\(.link[5:]) \(.to).\(.to_link[5:]) \(.state)"' "$1" | sed 's/ good$//'
    fi | awk '$1 + 0 > $2 + 0 { print $2 " " $1 ($3 ? " " $3 : ""); next } { print }' | sort
}

# Scouts find the cables, whatever the daemon knows of them: its copy of the file is gone. With a file they are compared.
check_scouts() {
    local lan=tests/disciplines/routed/lan.mesh
    expect 0 '^up:lan$' $postroad up $lan --nodes native --name lan
    mv "$directory"/postroad-*/lan/mesh "$directory/copy"
    for from in 0 4; do
        $postroad map --from $from --json >"$directory/found.json" || fault "map --from $from"
        [ "$(far_ends "$directory/found.json")" = "$(far_ends $lan)" ] || fault "other far ends: $(<"$directory/found.json")"
    done
    mv "$directory/copy" "$(ls -d "$directory"/postroad-*/lan)/mesh"
    sed 's/^6.2 = 7.1/6.2 = 9.2/; s/^9.2 = 6.3/7.1 = 6.3/' $lan >"$directory/swapped.mesh"
    expect 3 ' 8 of 10 links are good$' $postroad map --mesh "$directory/swapped.mesh"
    grep -q '^  the cable at 6 port 2 leads to 7 port 1$' <<<"$said" || fault "the wrong cable is not named: $said"
    sed '/^8.3 = 9.1/d; s/^6.2 = 7.1/6.2 = 7.3/' $lan >"$directory/fewer.mesh"
    expect 3 '^link 8 port 3 to none: wrong$' $postroad map --mesh "$directory/fewer.mesh"
    grep -q '^link 6 port 2 to 7: wrong$' <<<"$said" || fault "a cable to another port is right: $said"
    while [ ! -e "$directory/mapped" ]; do $postroad ping 0-5 --from 3 -c 20; done >"$directory/pings" 2>&1 &
    expect 0 ' 10 of 10 links are good$' $postroad map
    : >"$directory/mapped"
    wait $!
    grep -Eq ' 20/20 ' "$directory/pings" || fault "no pings while scouts are under way: $(<"$directory/pings")"
    ! grep -Eq 'silent| [0-9]/20| 1[0-9]/20' "$directory/pings" || fault "pings are lost: $(<"$directory/pings")"
    expect 0 '' $postroad down
    expect 0 '^up:lan$' $postroad up $lan --nodes native --name lan --fault link:8.3:100
    expect 4 '^link 8 port 3 to 9: missing$' $postroad map --mesh $lan
    expect 0 '' $postroad down
}

# watched TEXT COUNT: until `map --watch` has printed it so often. Clocks go by while another site maps the mesh.
has_watched() { [ "$(grep -cE -- "$1" "$directory/watched")" -ge "$2" ]; }
map_until_watched() { $postroad map --from 4 >"$directory/mapped" 2>&1; sleep 0.3; has_watched "$@"; }
watched() { within_time map_until_watched "$@" || fault "not $2 times '$1' in $(<"$directory/watched")"; }

# A cable that is dead from the start: its packets are lost, until all sites have routes round it. Then one that dies and comes
# back while the mesh is watched.
check_reroute() {
    local lan=tests/disciplines/routed/lan.mesh watch
    expect 0 '^up:lan$' $postroad up $lan --nodes native --name lan --fault link:8.3:1
    expect 5 '^ *3 +.*silent' $postroad ping 3 --from 5 -c 2 --timeout 0.5
    expect 4 '^all sites have new routes$' $postroad map --mesh $lan --routes
    expect 0 '^ +3 +3 +2/2' $postroad ping 3 --from 5 -c 2
    expect 0 ' 9 of 9 links are good$' $postroad map --routes
    expect 0 '"rerouted":[[:space:]]*true' $postroad map --routes --json
    expect 0 '' $postroad down
    expect 0 '^up:lan$' $postroad up $lan --nodes native --name lan --fault link:8.3:3000000:6000000
    start "$directory/watched" $postroad map --mesh $lan --watch=0.1
    watch=${helpers[-1]}
    EXPECT_SECONDS=60
    await "$directory/watched" ' 10 of 10 links are good$'
    watched 'the cable from (8 port 3 to 9 port 1|9 port 1 to 8 port 3) has changed: mapping again$' 1
    watched '^link 8 port 3 to 9: (missing|unknown)$' 1
    expect 0 '^ +3 +3 +2/2' $postroad ping 3 --from 5 -c 2
    watched ' 10 of 10 links are good$' 2
    expect 0 '^ +3 +3 +2/2' $postroad ping 3 --from 5 -c 2
    kill -INT "$watch"
    wait "$watch"
    [ $? = 130 ] || fault "map --watch was not interrupted: $(tail -n 3 "$directory/watched")"
    EXPECT_SECONDS=400
    expect 0 '' $postroad down
    expect 0 '^up:grid$' $postroad up hw/mesh/grid-2x2.mesh --nodes native --name grid
    expect 1 'this fabric finds its ways itself, expected a graph whose packets carry their routes$' $postroad map --routes
    expect 0 '' $postroad down
}

[ $# -gt 0 ] || set -- nodes refusals routes keys traffic graph source_routes scouts reroute
run_checks "$@"
