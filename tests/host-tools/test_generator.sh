#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# build/generate_protocol finds stale files and names the line of a mistake; build/generate_mesh makes mesh tops that elaborate;
# and parameter_check stops thresholds that the straps cannot have.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
protocol=build/generate_protocol
mesh_top=build/generate_mesh
out=build/tests/host-tools/generator
rm -rf "$out" && mkdir -p "$out"
failed=0

wrong() {
    echo "FAIL: $*"
    failed=1
}

# expect STATUS COMMAND...: runs it, keeps what it says in $out/said.
expect() {
    local wanted=$1 status
    shift
    "$@" >"$out/said" 2>&1
    status=$?
    [ $status = "$wanted" ] || { wrong "'$*' ended with $status, expected $wanted"; cat "$out/said"; }
}

fresh_copy() {
    rm -rf "$out/data" && cp -rL hw/protocol "$out/data"
}

stale_files_are_found() {
    local file
    expect 0 $protocol --check
    for file in protocol.vh protocol.h console_protocol.h; do
        fresh_copy
        echo >>"$out/data/$file"
        expect 3 $protocol --check --data "$out/data"
        grep -q "$file: stale" "$out/said" || wrong "$file is not named as stale"
        rm "$out/data/$file"
        expect 3 $protocol --check --data "$out/data"
    done
    fresh_copy
    sed -i 's/^retry_limit/&/; s/^data = 2/data = 4/' "$out/data/tags.ini"
    expect 3 $protocol --check --data "$out/data"
    expect 0 $protocol --data "$out/data"
    expect 0 $protocol --check --data "$out/data"
}

# A row of each table that make writes.
tables_are_written() {
    expect 0 $mesh_top --keys
    grep -q '^| `mesh` | `word_width` | `16` or `32` | `16` | all |' "$out/said" || wrong "no key word_width in the table"
    expect 0 $protocol --print registers
    grep -q '^| +0x4 | NI_CONTROL | rw | 0x0 | 0x7 | .*<br>\[0\] ENABLE_RECEIVE: ' "$out/said" || wrong "no NI_CONTROL"
    expect 0 $protocol --print console
    grep -q '^## PING' "$out/said" || wrong "no PING in the table"
    expect 0 $protocol --print python
    grep -qx 'TAG_DATA = 2' "$out/said" || wrong "no TAG_DATA for Python"
    expect 0 $protocol --print lua
    grep -qx '  CONSOLE_PING = 2,' "$out/said" || wrong "no CONSOLE_PING for Lua"
    expect 1 $protocol --print nothing
}

# mistake FILE LINE REASON EDIT: the edit of a line in a data file is reported with file, line and reason.
mistake() {
    fresh_copy
    sed -i "$2$4" "$out/data/$1"
    expect 1 $protocol --data "$out/data"
    grep -q "$1:$2: .*$3" "$out/said" || { wrong "mistake in $1:$2 is not reported:"; cat "$out/said"; }
}

# misfit REGISTER REASON EDIT: what only the whole file shows is reported with the register's name.
misfit() {
    fresh_copy
    sed -i "$3" "$out/data/registers.ini"
    expect 1 $protocol --data "$out/data"
    grep -q "registers.ini: $1 $2" "$out/said" || { wrong "$1 $2: is not reported:"; cat "$out/said"; }
}

# garbled SECTION REASON EDIT: a message of the console that cannot be laid out is reported with its section.
garbled() {
    fresh_copy
    sed -i "$3" "$out/data/console.ini"
    expect 1 $protocol --data "$out/data"
    grep -qF "console.ini: [$1] has a field" "$out/said" && grep -q "$2" "$out/said" ||
        { wrong "[$1] $2: is not reported:"; cat "$out/said"; }
}

line_of() {
    grep -n -m 1 "$2" "hw/protocol/$1" | cut -d : -f 1
}

mistakes_are_named() {
    mistake tags.ini "$(line_of tags.ini '^data = ')" "wider than its group" 's/=.*/= 9 text/'
    mistake tags.ini "$(line_of tags.ini '^width = ')" "expected a width" 's/=.*/= 40/'
    mistake packet.ini "$(line_of packet.ini '^counts = ')" "expected a number" 's/=.*/= many/'
    mistake console.ini "$(line_of console.ini '^ping = ')" "expected a number" 's/=.*/= often/'
    mistake registers.ini "$(line_of registers.ini '^access = ')" "expected ro, rw or wo" 's/=.*/= rx/'
    mistake registers.ini "$(line_of registers.ini '^offset = ')" "unknown key" 's/offset/ofset/'
    mistake registers.ini "$(line_of registers.ini '^field = ')" "does not fit" 's/=.*/= 30 4 NAME text/'
    mistake registers.ini "$(line_of registers.ini '^size = ')" "power of two" 's/=.*/= 100/'
    fresh_copy
    sed -i 's/^\[register FINISHER_COMMAND\]/[registre FINISHER_COMMAND]/' "$out/data/registers.ini"
    expect 1 $protocol --data "$out/data"
    grep -q "registers.ini:[0-9]*: expected \[block NAME\]" "$out/said" || wrong "an unknown section is not reported"
    garbled "message ping" "has a field of neither" '/^title = PING$/,/^data_words/s/^data_words = 2/data_words = 3/'
    garbled "message log" "behind one of no fixed length" \
        '/^title = LOG$/,/^text/s/^level = 1/level = 0/;/^title = LOG$/,/^text/s/^text = 0/text = 1/'
    misfit NI_SEEN "is at the place of another" 's/^offset = 0x34$/offset = 0x28/'
    misfit NI_COUNTER "does not fit its block" 's/^count = 64$/count = 4000/'
    misfit NI_CONTROL "has fields that overlap" 's/^field = 1 1 ENABLE_SEND/field = 0 2 ENABLE_SEND/'
    misfit ID_SITE "has no access" '/^offset = 0x04$/{n;/ro/d}'
    misfit UART_LSR "has neither" '/^offset = 5$/,/^bytes/s/^bytes = 1/bytes = 2/'
    expect 1 $protocol --data "$out/nowhere"
    expect 1 $mesh_top
    expect 1 $protocol --unknown
    expect 0 $protocol --help
    expect 0 $mesh_top --help
}

# row_mistake REASON EDIT: the edit of a discipline's row is reported with the file.
row_mistake() {
    rm -rf "$out/row" && cp -rL hw/postman "$out/row"
    sed -i "$2" "$out/row/discipline.ini"
    expect 1 $protocol --check-rows "$out/row/discipline.ini"
    grep -q "row/discipline.ini:.* $1" "$out/said" || { wrong "$1: is not reported:"; cat "$out/said"; }
}

rows_are_checked() {
    expect 0 $protocol --check-rows hw/*/discipline.ini tests/disciplines/*/discipline.ini
    row_mistake "phases: its values need more bits" '/^.key postman.phases/,/^build/s/^build = 2/build = 1/'
    row_mistake "strategy: its default is none of its values" 's/^default = eager/default = keen/'
    row_mistake "interleave: expected kind" '0,/^kind = one_of/s//kind = any_of/'
    row_mistake "cut: its bits are more than 32" 's/^width = 8/width = 30/'
    row_mistake "expected .discipline NAME. and a key" 's/^strap = 1/straps = 1/'
    row_mistake "expected .discipline NAME. and a key" 's/^refuse = yes with \(.*\):/refuse = yes with \1/'
    row_mistake "no topologies" '/^topologies/d'
    row_mistake "expected links = words and link_tag_bits, or" 's/^links = lines/links = words/'
    rm -rf "$out/row" && cp -rL hw/postman "$out/row"
    echo >>"$out/row/postman.vh"
    expect 3 $protocol --check-rows "$out/row/discipline.ini"
    grep -q "row/postman.vh: stale" "$out/said" || wrong "postman.vh is not named as stale"
    expect 1 $protocol --parameters 16 hw/postman/discipline.ini postman.phases=3
    expect 1 $protocol --parameters 16 hw/postman/discipline.ini postman.strategy=vct
    expect 0 $protocol --parameters 16 hw/postman/discipline.ini torus postman.interleave=8 postman.late_pass=yes
    grep -q '^LINK_WIDTH=8 OWN=11 DISCIPLINE=1 CAPABILITIES=0$' "$out/said" || { wrong "other parameters:"; cat "$out/said"; }
}

# elaborates DISCIPLINE ARGUMENT...
elaborates() {
    iverilog -g2005 -Ihw/protocol "-Ihw/$1" -y "hw/$1" -y hw/common -y hw/mesh -y hw/soc -y hw/board_link -t null "${@:2}"
}

mesh_tops_elaborate() {
    local mesh name fabric word_width
    local board_links='^board *= *yes'
    for mesh in $(grep -l "$board_links" hw/mesh/*.mesh); do
        expect 1 $mesh_top "$mesh" -o "$out/boards.v" --level fabric
        grep -q 'board links, expected board = no' "$out/said" ||
            wrong "$mesh, whose sites are on boards, is not refused for that"
    done
    for mesh in $(grep -L "$board_links" hw/mesh/*.mesh); do
        name=$(basename "$mesh" .mesh | tr - _)
        fabric=$(sed -n 's/^fabric *= *//p' "$mesh")
        expect 0 $mesh_top "$mesh" -o "$out/$name.v" --level fabric
        expect 0 elaborates "$fabric" -s "$name" "$out/$name.v"
    done
    # Where its links are slower than its time-out, a top does not elaborate.
    sed 's/\.LINK_CLOCKS(1)/.LINK_CLOCKS(60000)/' "$out/torus_4x4.v" >"$out/slow_links.v"
    elaborates cutthrough -s torus_4x4 "$out/slow_links.v" >"$out/said" 2>&1 &&
        wrong "links slower than the time-out are accepted"
    grep -q abort_threshold_must "$out/said" || wrong "links slower than the time-out are not refused by their rule"
    for word_width in 16 32; do
        printf '[mesh]\ntopology = hypercube\ndimensions = 1\nword_width = %s\n' $word_width >"$out/pair.mesh"
        expect 0 $mesh_top "$out/pair.mesh" -o "$out/pair.v" --level fabric
        expect 0 elaborates cutthrough -s pair "$out/pair.v"
    done
    printf '[mesh]\ntopology = torus\nsize = 3x2\nword_width = 32\n[site]\ncpu = serv\n' >"$out/small.mesh"
    expect 0 $mesh_top "$out/small.mesh" -o "$out/small.v" --level site --module small_one
    # shellcheck disable=SC2046  # no spaces in the names
    expect 0 elaborates cutthrough -s small_one "$out/small.v" $(ls build/venv/share/serv/serv_*.v)
    printf '[mesh]\nfabric = cutthrough\ntopology = ring\n' >"$out/bad.mesh"
    expect 1 $mesh_top "$out/bad.mesh" -o "$out/bad.v"
    grep -q "bad.mesh:3: " "$out/said" || wrong "a bad .mesh is not reported with its line"
    expect 1 $mesh_top "$out/small.mesh"
    expect 1 $mesh_top "$out/small.mesh" -o "$out/small.v" --level gate
    expect 2 $mesh_top "$out/small.mesh" -o "$out/nowhere/small.v"
}

# checks PARAMETER=VALUE...: links of one clock, if nothing else is given.
checks() {
    local given=("$@")
    [[ " $* " == *" LINK_CLOCKS="* ]] || given+=(LINK_CLOCKS=1)
    elaborates cutthrough -s parameter_check "${given[@]/#/-Pparameter_check.}" hw/common/parameter_check.v
}

# refused RULE PARAMETER=VALUE...: elaboration stops and names the rule.
refused() {
    local rule=$1
    shift
    checks "$@" >"$out/said" 2>&1 &&
        wrong "$* is accepted"
    grep -q "$rule" "$out/said" || { wrong "$* is not refused by $rule"; cat "$out/said"; }
}

accepted() {
    expect 0 checks "$@"
}

forbidden_settings_are_refused() {
    accepted WORD_WIDTH=32 SIZE_X=4096 ABORT_THRESHOLD=8192
    accepted TOPOLOGY=2 HYPERCUBE=1 LINKS=14 SIZE_X=14 SIZE_Y=1
    accepted DIVERT_THRESHOLD=4 ABORT_THRESHOLD=32 SIZE_X=10 SIZE_Y=11
    accepted DIVERT_THRESHOLD=0 ABORT_THRESHOLD=16
    accepted DIVERT_THRESHOLD=65535
    accepted RELIEF_LIMIT=0 DIVERT_THRESHOLD=65535
    accepted ABORT_THRESHOLD=256 LINK_CLOCKS=255
    refused word_width_must WORD_WIDTH=24
    refused topology_must TOPOLOGY=3
    refused links_must LINKS=3
    refused links_must TOPOLOGY=2 HYPERCUBE=1 SIZE_X=3 SIZE_Y=1
    refused hypercube_must_be TOPOLOGY=2 SIZE_X=4 SIZE_Y=1
    refused hypercube_must_be HYPERCUBE=1
    refused size_must SIZE_X=129
    refused size_must SIZE_Y=0
    refused hypercube_must_have TOPOLOGY=2 HYPERCUBE=1 LINKS=15 SIZE_X=15 SIZE_Y=1
    refused buffer_depth_must UPSTREAM_DEPTH=48
    refused buffer_depth_must DOWNSTREAM_DEPTH=2
    refused divert_threshold_must DIVERT_THRESHOLD=9
    refused relief_limit_must_be_0_or_a RELIEF_LIMIT=65
    refused relief_limit_must_be_0_or_at RELIEF_LIMIT=8
    refused abort_threshold_must_be_a_power ABORT_THRESHOLD=257
    refused abort_threshold_must_be_a_power ABORT_THRESHOLD=2 DIVERT_THRESHOLD=65535
    refused never_divert_needs DIVERT_THRESHOLD=65535 TOPOLOGY=1
    refused abort_threshold_must_be_above DIVERT_THRESHOLD=0 SIZE_X=1 SIZE_Y=1 ABORT_THRESHOLD=16 LINK_CLOCKS=16
    refused link_clocks_must LINK_CLOCKS=0
    refused max_packet_must MAX_PACKET=7
}

stale_files_are_found
tables_are_written
mistakes_are_named
rows_are_checked
mesh_tops_elaborate
forbidden_settings_are_refused
[ $failed = 0 ] && echo "PASS"
exit $failed
