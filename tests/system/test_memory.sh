#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# No program reads memory that nobody has set, or that is not its own: every test program runs once under valgrind, and every
# program and every verb of the product, started by tests that use them. They run in a copy of the tree made of links, in which
# each program is a script that starts it under valgrind. tests/system/memory.rows says what differs, and what is left out.
# usage: tests/system/test_memory.sh [ROW...]     ROW: the name of a test program or a script; none: all
# runs in: test-long
# time limit: 7200 s
# needs: memory build/tests/host-tools/real_ttys.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/work.bash
source tests/work.bash

rows=tests/system/memory.rows
tree=$work/tree
found=$work/found
checker=(valgrind -q --num-callers=20 --main-stacksize=16777216)
unset VALGRIND_OPTS
export FEW=1 SOAK_SECONDS=2 FUZZ_RUNS=200 EXPERIMENTS=5 EXPECT_SECONDS=600

# row KIND NAME FIELD: a field of the row; 1: there is none.
row() {
    awk -F ' *[|] *' -v what="$1 $2" -v field="$3" '$1 == what { print $field; found = 1 } END { exit !found }' "$rows"
}

# names KIND: of its rows.
names() {
    sed -n "s/^$1 \([^ |]*\).*/\1/p" "$rows"
}

is_left_out() {
    [ "$(row "$1" "$2" 2)" = - ]
}

# Whether the arguments ask for a name, or for all.
is_asked() {
    local name=$1 asked
    [ ${#asked_for[@]} -gt 0 ] || return 0
    for asked in "${asked_for[@]}"; do
        [ "$asked" != "$name" ] || return 0
    done
    return 1
}

# findings WHAT: what valgrind has said since the last call.
findings() {
    local log
    for log in "$found"/*.log; do
        [ -s "$log" ] && { fail "$1: $(basename "$log")" && head -n 60 "$log"; }
        rm -f "$log"
    done
}

run_test() {
    local name=$1 folder=$work/scratch status=0 environment
    environment=$(row test "$name" 2)
    mkdir -p "$folder"
    # shellcheck disable=SC2086  # assignments, a word each
    env TMPDIR="$folder" XDG_RUNTIME_DIR="$folder" SMALL_OBJECTS=build/memory/firmware $environment timeout 1200 "${checker[@]}" \
        --log-file="$found/${name//\//.}.%p.log" "build/memory/$name" >"$work/output" 2>&1 </dev/null || status=$?
    [ $status -eq 0 ] || { fail "$name: exit status $status" && tail -n 5 "$work/output"; }
    findings "$name"
    rm -rf "$folder"
    echo "$name: $SECONDS s"
}

run_tests() {
    local program name
    for program in build/memory/*/test_*; do
        name=${program#build/memory/}
        [ -x "$program" ] && [ -e "tests/$name.c" ] && is_asked "$name" || continue
        is_left_out test "$name" || run_test "$name"
    done
}

# shadow FOLDER: in the tree of links, a folder whose entries are links.
shadow() {
    [ ! -L "$tree/$1" ] || rm "$tree/$1"
    [ ! -d "$tree/$1" ] || return 0
    [ "$1" = . ] || shadow "$(dirname "$1")"
    [ ! -L "$tree/$1" ] || rm "$tree/$1"
    mkdir -p "$tree/$1"
    [ ! -d "$1" ] || find "$PWD/$1" -mindepth 1 -maxdepth 1 -exec ln -s -t "$tree/$1" {} +
}

# Programs of tests are those whose objects have no pattern on their stacks.
wrap() {
    local name=$1 file=$PWD/build/$1 wrapper=$tree/build/$1
    [ "${name#tests/}" = "$name" ] || file=$PWD/build/memory/$name
    [ -x "$file" ] || { fail "$name: there is no $file"; return; }
    shadow "$(dirname "build/$name")"
    rm -f "$wrapper"
    printf '#!/bin/sh\necho "%s" "$1" >>%s/ran\nexec %s --log-file=%s/%s.%%p.log %s "$@"\n' "$name" "$found" "${checker[*]}" \
        "$found" "${name//\//.}" "$file" >"$wrapper"
    chmod +x "$wrapper"
}

make_tree() {
    local name
    shadow .
    while read -r name; do
        is_left_out program "$name" || wrap "$name"
    done <build/programs
}

# The script's own verdict is another test's business: some wait for processes by name, or for less time than valgrind takes.
run_script() {
    local name=$1 status=0 environment
    environment=$(row script "$name" 2)
    # shellcheck disable=SC2086  # assignments, a word each
    env $environment timeout 1800 "$tree/tests/$name" >"$work/output" 2>&1 </dev/null || status=$?
    echo "$name: exit status $status, $SECONDS s"
    findings "$name"
}

run_command() {
    local status=0
    (cd "$tree" && export work && eval "$1") >"$work/output" 2>&1 </dev/null || status=$?
    [ $status -eq 0 ] || { fail "$1: exit status $status" && tail -n 5 "$work/output"; }
    findings "$1"
}

# Every program and every verb has run, or its row has a reason.
check_all_ran() {
    local name verbs
    while read -r name; do
        grep -E "^$name( |\$)" "$found/ran" >"$work/lines" || row program "$name" 3 >"$work/reason" ||
            fail "$name: no row of $rows has started it, and none says why"
    done <build/programs
    verbs=$(build/postroad --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
    [ -n "$verbs" ] || fail "postroad --help names no verb"
    for name in $verbs; do
        grep -x "postroad $name" "$found/ran" >"$work/lines" || row verb "$name" 3 >"$work/reason" ||
            fail "postroad $name: no row of $rows has run it, and none says why"
    done
}

# A row names something that is there, and what is left out has its reason.
check_rows() {
    local kind name _ reason
    while IFS='|' read -r name _ reason; do
        kind=${name%% *}
        name=$(xargs <<<"${name#* }")
        case $kind in
            test) [ -e "tests/$name.c" ] || fail "$rows: there is no tests/$name.c" ;;
            script) [ -x "tests/$name" ] || fail "$rows: there is no tests/$name" ;;
            program) grep -x -e "$name" build/programs >"$work/lines" || fail "$rows: there is no program '$name'" ;;
            verb | command) ;;
            *) fail "$rows: '$kind': expected test, script, program, verb or command" ;;
        esac
        [ "$kind" = command ] || [ -n "${reason// /}" ] || fail "$rows: $kind $name has no reason"
    done < <(grep -v -e '^#' -e '^$' "$rows")
}

# A bug of the kind, planted by tests/rules.mk, is found.
check_can_fail() {
    "${checker[@]}" --log-file="$found/planted.log" build/memory/planted >"$work/output" 2>&1
    grep 'by .*multicast_row' "$found/planted.log" >"$work/lines" || fail 'valgrind does not see the planted bug'
    rm "$found/planted.log"
}

asked_for=("$@")
mkdir -p "$found"
check_rows
check_can_fail
run_tests
make_tree
: >"$found/ran"
for name in $(names script); do
    if is_asked "$name"; then run_script "$name"; fi
done
if [ $# -eq 0 ]; then
    while read -r command; do
        run_command "$command"
    done < <(sed -n 's/^command *| *//p' "$rows")
    check_all_ran
fi
verdict test_memory
