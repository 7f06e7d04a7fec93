#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Eight boards on a desk, and what people do with them, drawn at random: two flash at once, as two users, from two computers, in
# containers; runs are killed, or stopped and go on; boards are unplugged and swapped, disks are full. After each step what each
# run has said is compared with what the (imitated) flashes hold:
#   - A board whose run said that it holds all does so, unless another run has written it since.
#   - A board of which no run said anything holds what it held.
#   - Whatever happened: a board that has a label holds, byte by byte, what a run without troubles has written with this label.
#   - A run that is refused names a process of a run that was there; `inspect` and `enroll` say what is there.
# usage: test_desk.sh
# environment: SEED (1), STEPS (4; LONG: 100; make soak-desk: 1000), FIRST (0): the step that is taken first
# needs: build/postroad build/firmware/node.elf build/tests/host-tools/imitate build/tests/host-tools/real_ttys.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
umask 0 # two users share the desk
describe_bus() {
    local k
    # shellcheck source=tests/host-tools/flash_desk.bash
    source tests/host-tools/flash_desk.bash describe
    desk_hubs
    for ((k = 0; k < 8; k++)); do desk_device $k 0403:6015 0; done
}
# shellcheck source=tests/host-tools/usb_bus.bash
source tests/host-tools/usb_bus.bash
begin_bus describe_bus "$@"
# shellcheck source=tests/host-tools/flash_desk.bash
source tests/host-tools/flash_desk.bash desk
steps=${STEPS:-${LONG:+100}}
steps=${steps:-4}
echo "SEED=${SEED:-1}, $steps steps"
boards=8

# --- The desk: a program that all may run, ssh, and files for each of two bitstreams and two computers. ---

set_up() {
    local file
    chmod 755 "$desk"
    chmod a+x "$(dirname "$desk")" # of the test
    chmod -R a+rwX "$UMOCKDEV_DIR" "$desk/boards" "$desk/tmp"
    mkdir -p "$desk/place/lib/postroad" "$desk/place/bin"
    cp build/postroad "$desk/place/bin"
    cp build/firmware/node.elf build/tests/host-tools/real_ttys.so "$desk/place"
    for file in boards/*/board.conf; do install -D -m 644 "$file" "$desk/place/share/postroad/$file"; done
    rm "$desk/bin"/*
    cp build/tests/host-tools/imitate "$desk/bin/openFPGALoader"
    cp tests/host-tools/imitate/ssh "$desk/bin"
    ln -s ../place/bin/postroad "$desk/bin/postroad"
    export FAKE_SSH=$desk
    boards_on_desk ulx3s_25f 0403:6015 4x2 $boards
    chmod a+rw "$UMOCKDEV_DIR"/dev/tty* "$desk"/ttys/*
    sed -i 's,^mesh = .*,&\nfirmware = place/node.elf,' "$desk/testbed.ini"
    for file in a b; do
        head -c 100001 <(yes "bitstream $file") >"$desk/$file.bin"
        sed "s/top.bin/$file.bin/" "$desk/testbed.ini" >"$desk/here-$file.ini"
        sed 's/^path = .*/&\nhost = me@bench/' "$desk/here-$file.ini" >"$desk/host-$file.ini"
        ln "$desk/here-$file.ini" "$desk/container-$file.ini"
    done
}

# on_bus WAY COMMAND...: of this computer, another one, or a container with device files of its own.
on_bus() {
    local way=$1
    shift
    PATH=$desk/bin:$PATH
    case $way in
        container) exec umockdev-run --device "$desk/bus" -- bash -c 'LD_PRELOAD=$0:$LD_PRELOAD exec "$@"' \
            "$desk/place/real_ttys.so" "$@" ;;
        *) LD_PRELOAD=$desk/place/real_ttys.so:$preload exec "$@" ;;
    esac
}

# --- What the flashes hold. ---

dump() {
    "$desk/bin/openFPGALoader" -b ulx3s --busdev-num 1:$(($1 + 8)) --dump-flash -o 0 --file-size 3300000 "$desk/dump" >/dev/null
}

# look_into BOARD: $holds is the SHA-256 of all that its flash has. A file that has not changed is not read again.
declare -A held=() # by what stat says
look_into() {
    local key
    key=$(stat -c '%i %z' "$desk/boards/1-$(($1 + 8))/flash")
    if [ -z "${held[$key]:-}" ]; then
        dump "$1"
        held[$key]=$(sha256sum <"$desk/dump")
    fi
    holds=${held[$key]}
}

# has_label BOARD
has_label() {
    dump "$1"
    "$desk/place/bin/postroad" inspect "$desk/dump" 2>/dev/null | grep '^label' >"$desk/label"
}

declare -A made=() now=() # by contents: FILE BOARD; by board: contents, or "" if nothing is known of it
learn() {
    local file board
    for file in a b; do
        (on_bus here timeout 100 postroad flash "$desk/here-$file.ini" --quiet) >"$desk/out" 2>&1 </dev/null ||
            fault "flashing: $(cat "$desk/out")"
        for ((board = 0; board < boards; board++)); do
            look_into $board
            now[$board]=$holds
            made[${now[$board]}]="$file $board"
        done
    done
}

# --- A run. ---

# draw WORD...: one of them, in $drawn (a subshell would draw for itself).
draw() {
    local words=("$@")
    drawn=${words[RANDOM % $#]}
}

# plan_run NUMBER: what it is to do, in the arrays below.
declare -A way=() file=() who=() only=() limit=() force=()
plan_run() {
    local count k
    draw here here here host container; way[$1]=$drawn
    draw a b; file[$1]=$drawn
    draw me me other; who[$1]=$drawn
    [ "$(id -u)" = 0 ] || who[$1]=me
    [ "${way[$1]}" != container ] || who[$1]=me # its files are of this user
    draw '' '' '' '' '' '' '' 60; limit[$1]=$drawn # kilobytes that a file may have
    draw '' --force; force[$1]=$drawn
    only[$1]=
    count=$((RANDOM % 3 + 1))
    for ((k = 0; k < count; k++)); do
        draw 0 1 2 3 4 5 6 7
        [[ ,${only[$1]} == *,b$drawn,* ]] || only[$1]+=b$drawn,
    done
    only[$1]=${only[$1]%,}
}

tell_run() {
    echo "  run $1: ${way[$1]}, file ${file[$1]}, user ${who[$1]}, boards ${only[$1]}, $2${force[$1]:+, forced}" \
        "${limit[$1]:+, a full disk}"
}

begin_run() {
    local command=(postroad flash "$desk/${way[$1]}-${file[$1]}.ini" --only "${only[$1]}" --json --hello 5 --timeout 3 -k)
    [ -z "${force[$1]}" ] || command+=("${force[$1]}")
    [ "${who[$1]}" = me ] || command=(setpriv --reuid 65534 --regid 65534 --clear-groups "${command[@]}")
    mkdir -p "$desk/tmp-$1" "$desk/run-$1"
    rm -f "$desk/pid-$1"
    : >"$desk/out-$1"
    # shellcheck disable=SC2016  # the inner shell's
    (TMPDIR=$desk/tmp-$1 XDG_RUNTIME_DIR=$desk/run-$1 on_bus "${way[$1]}" timeout -s KILL 90 bash -c \
        'echo $$ >"$0"; [ -z "$1" ] || ulimit -f "$1"; cd /; exec "${@:2}"' "$desk/pid-$1" "${limit[$1]}" "${command[@]}") \
        >"$desk/out-$1" 2>"$desk/err-$1" </dev/null &
    runner[$1]=$!
}

# disturb NUMBER: what becomes of it, once it has begun.
disturb() {
    local target delay tries board
    draw none none kill kill programmer stop unplug
    target=$drawn
    draw TERM INT HUP KILL
    delay=$((RANDOM % 900))
    echo "  run $1: $target ($drawn) after $delay ms"
    for ((tries = 0; tries < 500; tries++)); do [ ! -s "$desk/pid-$1" ] || break; sleep 0.02; done
    sleep "0.$(printf %03d $delay)"
    local process
    process=$(cat "$desk/pid-$1" 2>/dev/null) || return
    case $target in
        kill) kill -"$drawn" "$process" ;;
        programmer) kill -KILL "$(cut -d ' ' -f 1 "/proc/$process/task/$process/children")" ;;
        stop) kill -STOP "$process" && sleep 4; kill -CONT "$process" ;;
        unplug) board=${only[$1]:1:1}; [ -n "${away[$board]:-}" ] || { unplug "$board"; sleep 1; plug "$board"; } ;;
    esac 2>/dev/null
    [ $target-$drawn != kill-KILL ] || killed[$1]=yes
}

declare -A away=()
unplug() { away[$1]=yes; take_away "$(desk_port "$1")"; }
plug() { unset "away[$1]"; bring_back "$(desk_port "$1")"; }

# --- Its verdicts. ---

# verdict NUMBER BOARD: good, refused, changed (it may be half-written) or nothing.
verdict() {
    local word
    word=$(jq -r --arg board "b$2" 'select(.event == "ended" and .board == $board) |
            [.result, .half_written, .holds_all, .reason] | @tsv' "$desk/out-$1" 2>/dev/null | tail -n 1)
    case $word in
        *$'\t'false$'\t'true$'\t'*) echo good ;;
        *'is at work on it'*) echo refused ;;
        *$'\t'true$'\t'false$'\t'*) echo changed ;;
        ?*) echo nothing ;;
        *) if [ -n "${killed[$1]:-}" ]; then echo changed; else echo nothing; fi ;;
    esac
}

declare -A count=([good]=0 [refused]=0 [changed]=0 [nothing]=0)

# judge BOARD: what the runs of this step have said of it, and what it holds.
judge() {
    local board=$1 k said good='' changed='' refused='' asked=''
    for k in "${!runner[@]}"; do
        [[ ,${only[$k]}, == *,b$board,* ]] || continue
        said=$(verdict "$k" "$board")
        count[$said]=$((count[$said] + 1))
        asked+=$k
        case $said in
            good) good+="${file[$k]} " ;;
            refused) refused+=$k ;;
            changed) changed+=$k ;;
        esac
    done
    [ -z "$refused" ] || [ ${#asked} -gt 1 ] || fault "step $step: b$board: run $refused is refused, and there is no other"
    look_into "$board"
    local what=${made[$holds]:-}
    if [ -z "$what" ] && has_label "$board"; then
        fault "step $step: b$board has a label, and is not what a run has written: $(cat "$desk/label")"
    elif [ -n "$good" ] && [ -z "$changed" ] && [[ "$good" != *"${what% *} "* || ${what#* } != "$board" ]]; then
        fault "step $step: b$board is said to hold $good, and holds '$what'"
    elif [ -z "$good$changed" ] && [ "$holds" != "${now[$board]}" ]; then
        fault "step $step: b$board has changed, and no run says so"
    fi
    now[$board]=$holds
}

# The lock of each board is free, once what has been left has ended.
await_rest() {
    local k tries
    for ((k = 0; k < boards; k++)); do
        for ((tries = 0; tries < 300; tries++)); do
            if flock -n "$(printf '%s/dev/bus/usb/001/%03d' "$UMOCKDEV_DIR" $((k + 8)))" true; then break; fi
            sleep 0.1
        done
        [ $tries -lt 300 ] || fault "step $step: b$k stays locked"
    done
}

judge_all() {
    local k status board
    for k in "${!runner[@]}"; do
        status=0
        wait "${runner[$k]}" || status=$?
        [ -n "${killed[$k]:-}" ] || [ $status -lt 128 ] || [ $status = 130 ] ||
            fault "step $step: run $k ends with $status: $(tail -n 3 "$desk/err-$k")"
        rm -rf "$desk/tmp-$k"/tmp.* # of the other host, whose programmer may have been cut off
        [ -n "${killed[$k]:-}" ] || [ -z "$(ls -A "$desk/tmp-$k")" ] || fault "step $step: run $k leaves $(ls "$desk/tmp-$k")"
        rm -rf "${desk:?}/tmp-$k" "$desk/run-$k"
    done
    await_rest
    rm -f "$desk"/boards/*/fault
    for ((board = 0; board < boards; board++)); do judge $board; done
}

# --- The steps. ---

step_flash() {
    plan_run 0
    tell_run 0 alone
    begin_run 0
    disturb 0
}

step_two() {
    local pause=$((RANDOM % 700))
    plan_run 0
    plan_run 1
    only[1]+=,${only[0]}
    [ $((RANDOM % 3)) != 0 ] || { way[0]=container; who[0]=me; }
    tell_run 0 first
    [ $((RANDOM % 4)) != 0 ] || { echo "  b${only[0]:1:1} is slow"; strike "${only[0]:1:1}" write slow; }
    tell_run 1 "after $pause ms"
    begin_run 0
    sleep "0.$(printf %03d $pause)"
    begin_run 1
    disturb $((RANDOM % 2))
}

step_unplug() {
    local board there=yes
    for board in "${!away[@]}"; do plug "$board"; there=; done
    draw 0 1 2 3 4 5 6 7
    [ -z "$there" ] || unplug "$drawn"
    echo "  unplugged: ${!away[*]}"
}

# Two boards are each at the other's port.
step_swap() {
    local one other
    draw 0 1 2 3 4 5 6 7; one=$drawn
    draw 0 1 2 3 4 5 6 7; other=$drawn
    echo "  b$one and b$other are swapped"
    local from=$desk/boards/1-$((one + 8))/flash to=$desk/boards/1-$((other + 8))/flash
    [ "$one" = "$other" ] || { mv "$from" "$desk/flash" && mv "$to" "$from" && mv "$desk/flash" "$to"; }
    local first=${now[$one]}
    now[$one]=${now[$other]}
    now[$other]=$first
}

step_inspect() {
    local board wants site hash
    (on_bus here postroad inspect "$desk/here-a.ini" --json) >"$desk/out" 2>"$desk/err" </dev/null
    for ((board = 0; board < boards && ${#away[@]} == 0; board++)); do
        wants=${made[${now[$board]}]:-}
        site=null hash=
        [ -z "$wants" ] || { site=${wants#* }; hash=$(sha256sum <"$desk/${wants% *}.bin"); }
        jq -e --arg board "b$board" --argjson site "$site" --arg hash "$hash" '.boards[] | select(.name == $board) | .label |
            if . == null then $site == null
            else .site == $site and (.bitstream_sha256 as $has | $hash | startswith($has)) end' "$desk/out" >/dev/null ||
            fault "step $step: inspect of b$board, which holds '$wants': $(jq -c --arg board "b$board" \
                '.boards[] | select(.name == $board)' "$desk/out") $(cat "$desk/err")"
    done
}

step_enroll() {
    local status=0 wanted=0
    [ ${#away[@]} = 0 ] || wanted=2
    rm -f "$desk/enrolled.ini"
    (on_bus here postroad enroll "$desk/grid.mesh" -o "$desk/enrolled.ini" --scan --type ulx3s_25f) \
        >"$desk/out" 2>&1 </dev/null || status=$?
    [ $status = $wanted ] || fault "step $step: enroll ends with $status, expected $wanted: $(cat "$desk/out")"
    [ $status = 0 ] || return
    diff <(grep '^path' "$desk/enrolled.ini") <(grep '^path' "$desk/testbed.ini") ||
        fault "step $step: enroll has found other ports"
}

set_up
learn
for ((step = ${FIRST:-0}; step < ${FIRST:-0} + steps; step++)); do
    RANDOM=$((${SEED:-1} * 7919 + step))
    : $RANDOM $RANDOM $RANDOM $RANDOM # the first ones of near seeds are alike
    declare -A runner=() killed=()
    draw flash flash two two two two unplug swap inspect enroll
    echo "step $step: $drawn"
    "step_$drawn"
    judge_all
done
[ $step = $((${FIRST:-0} + steps)) ] || fault "ended in step $step"
echo "boards: ${count[good]} well, ${count[refused]} refused, ${count[changed]} half-written, ${count[nothing]} not touched"
[ $faults = 0 ] && echo "all good"
[ $faults = 0 ]
