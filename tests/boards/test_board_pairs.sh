#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Each pair of values of two keys of board.conf (tests/boards/pairs/rows): in a board that is built for Verilator and runs beside
# another of its kind (tests/boards/pairs/bench.cpp), or refused by what names both. `make test` runs one board, drawn by SEED;
# LONG=1 all of them.
# usage: test_board_pairs.sh [NAME...]      these boards
# needs only: build/generate_board build/make_boot_image build/firmware/small-traffic.elf build/firmware/boot.hex
# needs only: build/sim/verilator/verilated.o build/sim/verilator/verilated_threads.o build/venv/share/vexriscv/VexRiscv_Min.v
# time limit: 3600 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C

top=$PWD rows=tests/boards/pairs/rows out=build/tests/boards/pairs
source tests/work.bash

# The rows, a line each.
joined=$(awk '/^#|^ *$/ { next } /^[^ ]/ && begun++ { print "" } { printf "%s", $0 } END { print "" }' $rows)
declare -A values settings
while read -r kind name rest; do
    case $kind in
        key) values[$name]=${rest#|} ;;
        board) settings[$name]=$rest ;;
        *) fail "$rows: '$kind', expected key or board" ;;
    esac
done <<<"$joined"
mapfile -t keys < <(awk '$1 == "key" && NF > 3 { print $2 }' <<<"$joined")
mapfile -t names < <(awk '$1 == "board" { print $2 }' <<<"$joined")

# value NAME KEY: of a board.
value() {
    local word
    for word in ${settings[$1]}; do
        [ "${word%%=*}" != "$2" ] || { echo "${word#*=}"; return; }
    done
    read -r word _ <<<"${values[$2]}"
    echo "$word"
}

# conf NAME [KEY=VALUE]: a board.conf from that of the ULX3S, which the rows' first values begin with.
conf() {
    awk -v changes="$first ${settings[$1]} ${2:-}" '
        BEGIN {
            count = split(changes, all, " ")
            for (k = 1; k <= count; k++) { split(all[k], part, "="); set[part[1]] = part[2] }
        }
        /^\[/ { section = substr($1, 2, length($1) - 2) }
        $2 == "=" && (section "." $1) in set { $0 = $1 " = " set[section "." $1] }
        { print }' boards/ulx3s_25f/board.conf
}
first=$(for key in "${keys[@]}"; do read -r word _ <<<"${values[$key]}"; echo "$key=$word"; done)

# reads NAME [KEY=VALUE]: is it accepted? The reason is in $reason.
reads() {
    mkdir -p "$work/boards/$1"
    conf "$@" >"$work/boards/$1/board.conf"
    reason=$(cd "$work" && "$top/build/generate_board" "$1" --list 2>&1)
}

# tries KEY VALUE KEY VALUE: boards with the one, and the other set. True: one accepts it; $said has what the others say.
tries() {
    local name
    for name in "${names[@]}"; do
        [ "$(value "$name" "$1")" = "$2" ] || continue
        ! reads "$name" "$3=$4" || return 0
        said+=" $reason"
    done
    return 1
}

# refused KEY VALUE KEY VALUE: no board with the one accepts the other, and what is said names both.
refused() {
    local said=''
    if tries "$1" "$2" "$3" "$4" || tries "$3" "$4" "$1" "$2"; then
        fail "$1 = $2 with $3 = $4 is accepted, and no board of $rows has both"
    elif [[ ! (($said == *"${1#*.}"* || $said == *"$2"*) && ($said == *"${3#*.}"* || $said == *"$4"*)) ]]; then
        fail "$1 = $2 with $3 = $4 is refused without both names: $said"
    fi
}

check_pairs() {
    local name a b x y has=0 not=0 values_of=()
    local -A pairs
    for name in "${names[@]}"; do
        reads "$name" || fail "board $name of $rows: $reason"
        for ((a = 0; a < ${#keys[@]}; a++)); do
            values_of[a]=$(value "$name" "${keys[a]}")
        done
        for ((a = 0; a < ${#keys[@]}; a++)); do
            for ((b = a + 1; b < ${#keys[@]}; b++)); do
                pairs["$a ${values_of[a]} $b ${values_of[b]}"]=yes
            done
        done
    done
    for ((a = 0; a < ${#keys[@]}; a++)); do
        for ((b = a + 1; b < ${#keys[@]}; b++)); do
            for x in ${values[${keys[a]}]}; do
                for y in ${values[${keys[b]}]}; do
                    if [ "${pairs["$a $x $b $y"]:-}" ]; then
                        has=$((has + 1))
                    else
                        not=$((not + 1))
                        refused "${keys[a]}" "$x" "${keys[b]}" "$y"
                    fi
                done
            done
        done
    done
    echo "$has pairs of values in ${#names[@]} boards, $not are refused"
}

# The keys of board.conf have rows.
check_keys() {
    build/generate_board ulx3s_25f --list | cut -d = -f 1 | sort >"$work/listed"
    awk '$1 == "key" { print $2 }' <<<"$joined" | sort | diff "$work/listed" - >"$work/diff" ||
        fail "$rows has not the keys of board.conf:" "$(cat "$work/diff")"
}

# build NAME: its bench, for a mesh at the board's limits.
build() {
    local folder=$out/$1 clock baud side kind=ulx3s_25f probe=no
    clock=$(value "$1" site.clock_hz) baud=$(value "$1" site.baud) side=$(value "$1" site.side)
    [ "$side" = 1 ] || kind=ulx3s_85f
    [ "$(value "$1" limits.probes)" = 0 ] || probe=yes
    mkdir -p "$folder"
    {
        sed "s/^board = yes/&\nprobe = $probe/" tests/boards/pairs/grid.mesh
        printf '[buffers]\nnet_input = %s\nmax_packet = %s\n[site]\nram_bytes = %s\n' "$(value "$1" limits.net_input)" \
            "$(value "$1" limits.max_packet)" "$(value "$1" site.ram_bytes)"
    } >"$folder/grid.mesh"
    reads "$1" && (cd "$work" && "$top/build/generate_board" "$1" "$top/$folder/grid.mesh" --image none \
        --boot-image build/firmware/boot.hex -o "$top/$folder/parameters.vh") || return
    make -s --no-print-directory "$folder/bench" PAIR_FOLDER="$folder" TOP="boards/$kind/top.v" SIDE="$side" \
        LINK_RATIO="$(value "$1" site.link_ratio)" DIVIDER=$(((clock + baud / 2) / baud))
}

run() {
    local folder=$out/$1 side site boot images=()
    build "$1" || { fail "board $1 is not built"; return; }
    side=$(value "$1" site.side) boot=$(value "$1" site.boot)
    for site in $([ "$side" = 1 ] && echo 0 1 || echo 0 1 4 5 2 3 6 7); do
        build/make_boot_image "${boot/image/ram}" build/firmware/small-traffic.elf "$folder/grid.mesh" "$site" \
            -o "$folder/$site" || fail "no image of board $1"
        images+=("$folder/$site")
    done
    echo -n "board $1: "
    timeout 1200 "$folder/bench" "$boot" "${images[@]}" || fail "board $1: ${settings[$1]}"
    rm -r "$folder"
}

check_keys
if [ $# -gt 0 ]; then
    names=("$@")
else
    check_pairs
    [ "${LONG:-}" ] || names=("${names[${SEED:-1} % ${#names[@]}]}")
fi
for name in "${names[@]}"; do
    run "$name"
done
verdict test_board_pairs
