#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Text of others - log text and shell answers of nodes, labels of flashes, names of meshes, folders, symbols and channels - is
# shown, but a terminal obeys none of it, and no line of it passes for one of another site or of the program.
# usage: test_hostile_text.sh [CHECK...]      default: all of them, see the end
# needs: build/tests/host-tools/imitate build/tests/host-tools/test_crash_text
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash hostile-text
imitate=build/tests/host-tools/imitate
run=$directory/postroad-$(id -u)

# Control characters but newline and tab; C1 as UTF-8, and as a byte that belongs to no letter.
obeyed=$'[\\x00-\\x08\\x0b-\\x1f\\x7f]|\\xc2[\\x80-\\x9f]|(?<![\\xc3-\\xf4\\x80-\\xbf])[\\x80-\\x9f]'

# clean FILE WHAT TEXT: the file has TEXT (a regular expression), and nothing that a terminal obeys.
clean() {
    LC_ALL=C grep -Eaq -- "$3" "$1" || fault "$2: nothing like '$3': $(cat -v "$1")"
    if LC_ALL=C grep -Pa -- "$obeyed" "$1" >"$directory/obeyed"; then
        fault "$2: a terminal obeys $(cat -v "$directory/obeyed")"
    fi
}

# clean_said STATUS WHAT TEXT COMMAND...
clean_said() {
    local wanted=$1 what=$2 text=$3 status
    shift 3
    timeout 100 "$@" >"$directory/said" 2>&1 </dev/null
    status=$?
    [ "$status" = "$wanted" ] || fault "$what: exit status $status, expected $wanted"
    clean "$directory/said" "$what" "$text"
}

# What the node says (imitate/node.c), as it is to be shown.
shown='\?\]0;title\?\?\[31mred'$'\302''\? \? '$'\303\251'' \? x\?y$'

# forges FILE WHAT: a line that begins as one of another site, or of the daemon.
forges() {
    if grep -Ea '^(site 3|ready)' "$1" >"$directory/forged"; then fault "$2: forged: $(cat "$directory/forged")"; fi
}

# With the node's text behind each answer.
check_node() {
    local at=unix:$directory/node
    node_at "$directory/node" -E
    # Two commands: the text behind the first answer has come when the second is there.
    "$postroad" console --gateway "$at" >"$directory/answers" 2>"$directory/text" <<<$'id\nid'
    clean "$directory/answers" "answer of the shell" "$shown"
    clean "$directory/text" "console" "$shown"
    "$postroad" listen --gateway "$at" --timeout 1 >"$directory/heard" 2>"$directory/text"
    clean "$directory/text" listen "^site 0: log: $shown"
    forges "$directory/text" listen
    TERM=xterm script -qec "$postroad listen --timeout 0.5 --gateway $at" /dev/null </dev/null | tr -d '\r' >"$directory/screen"
    clean "$directory/screen" 'a terminal' "$shown"
    node_gone
}

# Through the daemon of boards: its log, and the consoles that it serves.
check_daemon() {
    "$imitate" node -E -x 1 -y 1 pty >"$directory/tty" 2>&1 &
    helpers+=($!)
    await "$directory/tty" /dev/pts
    expect 0 '^up:boards' "$postroad" up "tty:$(cat "$directory/tty")"
    start "$directory/all" "$postroad" console all --log "$directory/logs"
    start "$directory/red" "$postroad" console all --filter red
    start "$directory/json" "$postroad" console 0-0 --json
    for file in all red json; do await "$directory/$file" ' at up:boards'; done
    expect 0 '1 of 1 sites' "$postroad" map
    for file in all red json; do await "$directory/$file" red; done
    await "$directory/all" 'ready $'
    clean "$directory/all" 'console all' "^[0-9:.]+ site 0: $shown"
    clean "$directory/red" 'console --filter' "$shown"
    clean "$directory/json" 'console --json' '"text":"\?\]0;title'
    clean "$directory/logs/site-0.log" 'console --log' "^[0-9T:.-]+ $shown"
    clean "$run/boards/log" "the daemon's log" "^site 0: $shown"
    for file in all red logs/site-0.log; do forges "$directory/$file" $file; done
    forges "$run/boards/log" log
    expect 0 '' "$postroad" down
}

# A flash that another has written: everything about its label is right.
check_label() {
    local head=$directory/head number
    {
        printf 'POSTROAD'
        for number in 2 1 1 0; do printf '%b' "\\x0$number\\0\\0\\0"; done
        printf '\033]0;title\a\033[31mred\302\233\033[0m'
    } >"$head"
    truncate --size=136 "$head"
    {
        head --bytes=$((0x2e0000)) /dev/zero
        cat "$head"
        sha256sum "$head" | head --bytes=32 | xxd -r -p
        head --bytes=3944 /dev/zero
    } >"$directory/flash"
    clean_said 3 inspect '\?\]0;title\?' "$postroad" inspect "$directory/flash"
    clean_said 3 'inspect --json' '"type":.*\?\]0;title\?' "$postroad" inspect "$directory/flash" --json
}

# Of files, of a folder that has a line break in its name, and of a gateway.
check_names() {
    local name=$'e\e[31mv\nil.mesh' folder=$directory/$'a\nready \n\e[31m' verb
    mkdir "$folder"
    printf '[mesh]\ntopology=grid\nsize=2x1\n' | tee "$folder/$name" >"$folder/good.mesh"
    for verb in up sim inspect; do
        clean_said 1 "$verb" 'e\?\[31mv\?il.mesh: a control character' "$postroad" $verb "$folder/$name"
    done
    clean_said 1 'a name' 'b\?d: a control character' "$postroad" up hw/mesh/grid-2x2.mesh --name $'b\ad'
    (cd "$folder" && "$OLDPWD/$postroad" up good.mesh --nodes native --quiet >/dev/null) ||
        fault "up in a folder with a line break"
    [ "$(grep -c '^ready' "$run/good/about")" = 1 ] || fault "about has a forged line: $(cat -v "$run/good/about")"
    clean_said 0 list '^good +up' "$postroad" list
    [ "$(wc -l <"$directory/said")" = 2 ] || fault "list: $(cat -v "$directory/said")"
    clean_said 0 'list --json' '"name"' "$postroad" list --json
    expect 0 '' "$postroad" down
    clean_said 1 'a gateway' '\?\[31mx' env POSTROAD_GATEWAY=$'\e[31mx' "$postroad" map
}

# A capture whose channels are named so, and a testbed with such a line.
check_channels() {
    local capture=$directory/evil.csv testbed=$directory/evil.ini
    printf 'Time,\033[31mred\302\233,b\n0,0,1\n0.000001,1,1\n0.000002,0,1\n' >"$capture"
    printf '[mesh]\ntopology=grid\nsize=2x1\n[links]\nboard=yes\n' >"$directory/pair.mesh"
    printf '[testbed]\nmesh=pair.mesh\n[board a]\ntype=icebreaker\n[board b]\ntype=icebreaker\n' >"$testbed"
    printf '[cables]\na.east=b.west\n[analyser]\nD0=a.east\n' >>"$testbed"
    clean_said 1 latency '\?\[31mred' "$postroad" latency "$capture" --testbed "$testbed"
    clean_said 1 'trace --capture' '\?\[31mred' "$postroad" trace 0 1 --capture "$capture" --testbed "$testbed"
    printf '[board \033[31mred\302\233]\n' >"$testbed"
    clean_said 1 'a testbed' evil.ini "$postroad" latency "$capture" --testbed "$testbed"
}

# What the debugging tools of an image say.
check_symbols() {
    mkdir "$directory/bin"
    local tool=$directory/bin/riscv64-unknown-elf-addr2line
    printf '#!/bin/sh\nprintf "\\033[31mevil\\302\\233\\r\\nsite 3: x\\rfile.c:7\\n"\n' >"$tool"
    chmod +x "$tool"
    PATH=$directory/bin:$PATH build/tests/host-tools/test_crash_text symbol /dev/null >"$directory/said"
    clean "$directory/said" 'a symbol' '^crashed: .*\?\[31mevil'$'\302''\?\? \(site\)'
}

checks=("$@")
[ $# -gt 0 ] || checks=(node daemon label names channels symbols)
run_checks "${checks[@]}"
