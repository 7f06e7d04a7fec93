#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What is printed fits the terminal: fewer columns where it is narrow, never a wrapped line; a live table stays in place; colours
# on terminals only, and not with NO_COLOR.
# usage: test_terminal.sh [CHECK...]      default: all of them, see the end
# needs: build/tests/host-tools/imitate
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash terminal
escape=$'\033'
unset NO_COLOR

# on_terminal COLUMNS COMMAND: what it prints on a terminal of that width, carriage returns removed.
on_terminal() {
    TERM=xterm script -qec "stty cols $1 rows 30; $2" /dev/null </dev/null | tr -d '\r'
}

# What a terminal shows of a text: without what moves cursors and sets colours.
visible() {
    sed "s/$escape\\[[0-9;]*[A-Za-z]//g"
}

widest() {
    visible | awk '{ if (length > most) most = length } END { print most + 0 }'
}

# fits COLUMNS COMMAND
fits() {
    local said most
    said=$(on_terminal "$1" "$2")
    most=$(widest <<<"$said")
    [ "$most" -le "$1" ] || fault "$2 has $most columns on a terminal of $1: $said"
    [ "$most" -gt 9 ] || fault "$2 prints nothing: $said"
}

check_tables() {
    local columns
    expect 0 '^up:' $postroad up hw/mesh/grid-4x4.mesh --nodes native --quiet
    for columns in 40 80; do
        fits $columns "$postroad stats --quiet"
        fits $columns "$postroad ping all --count 1 --quiet"
    done
    [ "$($postroad stats --quiet | widest)" -le 80 ] || fault "stats in a pipe is wider than 80 columns"
    [ "$(on_terminal 40 "$postroad stats --wide --quiet" | widest)" -gt 40 ] || fault "stats --wide hides columns"
    if grep -q 'restarts' < <($postroad stats 0 --quiet); then fault "a column of zeroes is shown"; fi
    expect 0 '' $postroad down
}

# Texts are wrapped between words where the terminal is narrow, and copied as they are elsewhere.
check_texts() {
    local verb
    for verb in '' up flash trace; do fits 41 "$postroad $verb --help"; done
    fits 50 "$postroad console"
    [ "$(on_terminal 50 "$postroad console" | sed -n 2p)" = '    (postroad up FILE.mesh), and neither --gateway' ] ||
        fault "not between words: $(on_terminal 50 "$postroad console")"
    expect 2 'no mesh is up .postroad up FILE.mesh., and neither --gateway nor POSTROAD_GATEWAY is given$' $postroad console
    expect 0 '^up:' $postroad up hw/mesh/grid-4x4.mesh --nodes native --quiet
    fits 40 "$postroad map --quiet"
    expect 0 'grid 4x4, 16-bit words, reliable, .mesh hash [0-9a-f]*, seen from site 0$' $postroad map
    expect 0 '' $postroad down
}

# The second table overwrites the first, and is no higher than the screen.
check_live() {
    local said
    expect 0 '^up:' $postroad up hw/mesh/grid-4x4.mesh --nodes native --quiet
    said=$(on_terminal 80 "timeout 2 $postroad stats --watch=0.5")
    [ "$(grep -c "$escape\\[H" <<<"$said")" -gt 1 ] || fault "stats --watch does not stay in place: $said"
    [ "$(awk -v RS="$escape\\\\[H" '{ n = gsub(/\n/, "") } n > most { most = n } END { print most }' <<<"$said")" -le 30 ] ||
        fault "a live table is higher than the screen"
    if grep -q "$escape" < <(timeout 1 $postroad stats --watch=0.3); then fault "control characters in a pipe"; fi
    expect 0 '' $postroad down
}

check_colours() {
    local stats="$postroad stats --timeout 1 --quiet"
    expect 0 '^up:' $postroad up hw/mesh/grid-4x4.mesh --nodes native --quiet --fault stop:5:10
    grep -q "$escape\\[31m *5  *silent" < <(on_terminal 80 "$stats") || fault "a silent site is not red"
    if grep -q "$escape\\[3" < <(on_terminal 80 "NO_COLOR=1 $stats"); then fault "colours with NO_COLOR"; fi
    if grep -q "$escape" < <(on_terminal 80 "TERM=dumb $stats"); then fault "colours on a dumb terminal"; fi
    if grep -q "$escape" < <($stats); then fault "colours in a pipe"; fi
    expect 0 '' $postroad down
}

# A line of progress stays in one row of the terminal, and is gone at the end.
check_progress() {
    local said
    node_at "$directory/slow" -z 150
    said=$(TERM=xterm script -qec "stty cols 40; $postroad map -g unix:$directory/slow" /dev/null </dev/null)
    node_gone
    grep -q 'identify [0-9]*/16' <<<"$said" || fault "no progress: $said"
    [ "$(tr '\r' '\n' <<<"$said" | grep identify | widest)" -lt 40 ] || fault "progress is wider than the terminal: $said"
    grep -q "$escape\[K" <<<"$said" || fault "progress is left on the terminal: $said"
}

[ $# -gt 0 ] || set -- tables texts live colours progress
run_checks "$@"
