#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The applications of firmware/apps/README.md, built by their own Makefiles, as hosts use them: every answer is that of a
# reference, to the last bit, though words on all links are damaged, and a site is reset. Four sites under QEMU; with LONG on
# cores, too. `make bitstream-apps` has two simulated boards, whose sites are not reset.
# needs: firmware-library
# usage: test_apps.sh [qemu] [core] [ulx3s_25f] [APPLICATION...]      a board, of which build/bitstream has grid-2x1
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash apps
heard=$directory/heard
last=3 rows=2 # the sites are 0 to last, in this many rows of two

image() {
    echo "$directory/$1/$1.elf"
}

build() {
    cp -rL "firmware/apps/$1" "$directory/$1"
    expect 0 '' make -C "$directory/$1" PKG_CONFIG_PATH="$PWD/build/pkgconfig"
}

# order SITES HANDLER WORDS
order() {
    expect 0 '' $postroad send "$1" --handler "$2" --data "words:$3" -q --timeout "${EXPECT_SECONDS:-100}"
}

# What site 0 has heard as answers: a line for each, its source and words.
answers() {
    sed -nE 's/^site 0: from ([0-9]+) .* handler 1 .* words:(.*)/\1,\2/p' "$heard" | tr , ' '
}

decimal() {
    local words
    while read -ra words; do
        mapfile -t words < <(printf '%d\n' "${words[@]}")
        echo "${words[*]}"
    done
}

has_answers() {
    [ "$(answers | wc -l)" -ge "$1" ]
}

# ask COUNT SITES HANDLER WORDS: so many answers to this order, with decimal words, in $answered; sorted by their sources.
ask() {
    local before
    before=$(answers | wc -l)
    order "${@:2}"
    within_time has_answers $((before + $1)) || fault "no $1 answers to ${*:2}: $(tail -n 5 "$heard")"
    answered=$(answers | tail -n +$((before + 1)) | decimal | sort -n)
}

# same WHAT EXPECTED GOT
same() {
    [ "$2" = "$3" ] || fault "$1: expected
$2
got
$3"
}

# The clocks in front of each answer differ from run to run.
results() {
    ask $((last + 1)) all 17 0
    cut -d ' ' -f 1,4- <<<"$answered"
}

sums_of_run() {
    local site j
    for ((site = 0; site <= last; site++)); do
        echo "$site$(for ((j = 0; j < 32; j++)); do echo -n " $(((last + 1) * (last + 2) * ($1 + j) / 2))"; done)"
    done
}

# A run in which a site was reset does not end. The next one is right.
can_reset() {
    [ $last = 3 ]
}

hold_last() {
    echo "hold 100000000" | $postroad console $last >"$directory/hold" 2>&1
}

reset_last() {
    expect 0 "loaded: site $last" $postroad load $last "$(image "$1")"
}

check_allreduce() {
    order 1 16 1
    same 'allreduce' "$(sums_of_run 1)" "$(results)"
    can_reset || return
    hold_last
    order 1 16 2
    reset_last allreduce
    order 1 16 3
    same 'allreduce after a reset' "$(sums_of_run 3)" "$(results)"
}

# plate TEMPERATURE TOLERANCE: sites of 6x6 cells, and what each has at the end: iterations, residual, cells.
plate() {
    awk -v hot="$1" -v tolerance="$2" -v rows=$rows 'BEGIN {
        for (x = 1; x <= 12; x++) old[0, x] = hot
        do {
            worst = 0
            for (y = 1; y <= 6 * rows; y++) for (x = 1; x <= 12; x++) {
                cell[y, x] = int((old[y - 1, x] + old[y + 1, x] + old[y, x - 1] + old[y, x + 1] + 2) / 4)
                change = cell[y, x] - old[y, x]
                if (change < 0) change = -change
                if (change > worst) worst = change
            }
            for (place in cell) old[place] = cell[place]
        } while (++iterations % 4 || worst > tolerance)
        for (site = 0; site < 2 * rows; site++) {
            printf "%d %d %d", site, iterations, worst
            for (y = 1; y <= 6; y++) for (x = 1; x <= 6; x++) printf " %d", old[y + 6 * int(site / 2), x + 6 * (site % 2)]
            print ""
        }
    }'
}

check_heat() {
    order all 16 1,40000,300
    same 'heat' "$(plate 40000 300)" "$(results)"
    can_reset || return
    hold_last
    order 0-2 16 2,40000,300
    reset_last heat
    order all 16 3,65535,900,1
    same 'heat after a reset, with unicasts' "$(plate 65535 900)" "$(results)"
}

# read_all VALUE ANSWER: all sites answer for key 4, whose home is site 0, with this value; where from is this pattern.
read_all() {
    ask $((last + 1)) all 16 4
    [ "$(grep -cE "^[0-3] 4 $1 $2\$" <<<"$answered")" = $((last + 1)) ] ||
        fault "key 4, expected $1 from $2 at all sites: $answered"
}

# write SITE VALUE AT_ONCE: of all copies. The acknowledgement of one takes 128 clocks at least.
write() {
    local words
    ask 1 "$1" 17 "4,$2,$3"
    read -ra words <<<"$answered"
    same 'key 4 is written' "0 4 $2 $last" "${words[*]:0:4}"
    [ $((words[4] + 65536 * words[5])) -ge 128 ] || fault "a write is answered before its copies are gone: $answered"
}

check_keyvalue() {
    local value
    read_all 0 0
    write $last 7 16
    read_all 7 0
    read_all 7 '[01]'
    ask 1 1 16 4
    same 'a copy' '1 4 7 1' "$answered"
    if can_reset; then
        reset_last keyvalue
        ask 1 $last 16 4
        same 'a site without copies' "$last 4 7 0" "$answered"
    fi
    for value in 11 12 13; do
        write 1 $value $((value % 2 * 15 + 1))
        read_all $value 0
    done
}

# check APPLICATION: on the mesh that is up.
check() {
    local listener
    $postroad listen 0 >"$heard" 2>"$directory/listens" &
    listener=$!
    await "$directory/listens" 'listening at 1 site'
    "check_$1"
    kill $listener
    wait $listener 2>/dev/null
}

# on_boards BOARD APPLICATION...
on_boards() {
    local board=$1 application last=1 rows=1
    shift
    for application in "$@"; do
        build "$application"
        expect 0 '' boards/make_testbed "$board" hw/mesh/grid-2x1.mesh "$(image "$application")" "$directory/$application.boards"
        expect 0 '^up:' $postroad up "$directory/$application.boards/testbed.ini" --nodes bitstream
        check "$application"
        expect 0 '' $postroad down
    done
}

words_were_damaged() {
    $postroad ping 0-3 --count 20 --quiet >/dev/null
    grep -q '"time_outs":[[:space:]]*[1-9]' < <($postroad stats --json)
}

# on KIND APPLICATION...
on() {
    local application
    expect 0 '^up:' $postroad up hw/mesh/grid-4x4.mesh --set mesh.size=2x2 --nodes "$1" --fault corrupt:0.002
    shift
    for application in "$@"; do
        build "$application"
        expect 0 'loaded: sites 0-3' $postroad load all "$(image "$application")"
        check "$application"
    done
    within_time words_were_damaged || fault "no time-outs: $($postroad stats)"
    expect 0 '' $postroad down
}

kinds=() applications=() boards=()
for argument in "$@"; do
    case $argument in
        qemu | core) kinds+=("$argument") ;;
        allreduce | heat | keyvalue) applications+=("$argument") ;;
        *) boards+=("$argument") ;;
    esac
done
[ ${#kinds[@]} -gt 0 ] || [ ${#boards[@]} -gt 0 ] || kinds=(qemu ${LONG:+core})
[ ${#applications[@]} -gt 0 ] || applications=(allreduce heat keyvalue)
for kind in "${kinds[@]}"; do on "$kind" "${applications[@]}"; done
for board in "${boards[@]}"; do on_boards "$board" "${applications[@]}"; done
[ "$faults" = 0 ] && echo "all good"
[ "$faults" = 0 ]
