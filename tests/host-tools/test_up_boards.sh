#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad up` on serial lines. Boards are imitated: native nodes of a simulated mesh, whose consoles are ptys. The host tools on
# them; a board that is unplugged and comes back, as itself, as another site, or as noise; and lines on which `up` refuses to
# begin.
# usage: test_up_boards.sh [CHECK...]      default: all of them, see the end
# needs: build/tests/host-tools/imitate
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash up-boards
# shellcheck source=tests/host-tools/boards.bash
source tests/host-tools/boards.bash
imitate=build/tests/host-tools/imitate
log=$directory/postroad-$(id -u)/boards/log

has_times() {
    [ "$(grep -Ec -- "$2" "$log")" -ge "$1" ]
}

# await_times COUNT TEXT: until the daemon's log has so many lines like it.
await_times() {
    within_time has_times "$@" || fault "not $1 times '$2' in the log: $(cat "$log")"
}

# In any order, and in the shell's way of naming many.
check_verbs() {
    expect 0 '^up:boards$' "$postroad" up "$(line square 2)" "$(line square 0)" "$(line square 3)" "$(line square 1)@115200"
    expect 0 'boards +up +4 +boards' "$postroad" list
    expect 0 '4 of 4 sites answer, 4 of 4 links are good' "$postroad" map
    expect 0 'is this mesh|4 of 4 sites answer' "$postroad" map --mesh "$directory/square.mesh"
    expect 0 ' 3 +2 +2/2 ' "$postroad" ping all --count 2
    expect 0 ' 0 +2 +2/2 ' "$postroad" ping all --count 2 --from 3
    start "$directory/heard" "$postroad" listen 1-3 --count 4
    await "$directory/heard" 'listening at 3 sites'
    expect 0 'delivered: .*site 2' "$postroad" send 2 --data 'one board'
    expect 0 'delivered: .*sites 1-3' "$postroad" send 1-3 --data 'all boards'
    await "$directory/heard" 'all boards.*'
    wait "${helpers[-1]}" || fault "listen ends with status $?"
    [ "$(grep -c 'all boards' "$directory/heard")" = 3 ] || fault "heard: $(cat "$directory/heard")"
    grep -q 'one board' "$directory/heard" || fault "heard: $(cat "$directory/heard")"
    expect 0 '"site":[[:space:]]*3' "$postroad" stats --json
    expect 0 'site 3|address' bash -c "echo id | $postroad console 3"
    expect 1 'site 1 has no QEMU' "$postroad" gdb 1
    expect 1 '--nodes: of a simulated mesh, not of boards' "$postroad" up "$(line square 0)" --nodes native
    expect 0 '^$' "$postroad" down
    if [ -e "$directory/postroad-$(id -u)/boards" ]; then fault "down leaves a run directory"; fi
    expect 0 '^up:bench$' "$postroad" up "tty:$directory/square/tty-*" --name bench # the lines are free again
    expect 0 '"nodes":[[:space:]]*"boards"' "$postroad" list --json
    expect 0 '^$' "$postroad" down
    expect 0 '"sites":[[:space:]]*4' "$postroad" up "tty:$directory/square/tty-*" --json
    expect 0 '^$' "$postroad" down boards
}

# While a board is away, the others and its own node in the mesh go on.
check_unplugged() {
    expect 0 '^up:boards$' "$postroad" up "tty:$directory/square/tty-*"
    start "$directory/heard" "$postroad" listen 2
    await "$directory/heard" 'listening at 1 site'
    order square 'unplug 2'
    await "$log" 'site 2: .*/tty-2 is gone: .*, at 20'
    expect 0 '4 of 4 sites answer' "$postroad" map
    expect 0 'delivered: .*site 3' "$postroad" send 3 --data 'without one'
    expect 5 'boards/log may show why site 2 does not answer' "$postroad" map --from 2 --timeout 1
    order square 'plug 2'
    await "$log" 'site 2: answers again'
    expect 0 '4 of 4 sites answer' "$postroad" map --from 2
    expect 0 'delivered' "$postroad" send 2 --data 'back again'
    await "$directory/heard" 'back again' # who listened is still listened to
    [ "$(grep -c 'site 2: .* is gone' "$log")" = 1 ] || fault "reported more than once: $(cat "$log")"
    rests 20 processor_ticks "$(cat "${log%/log}/pid")"
    expect 0 '^$' "$postroad" down
}

# What comes back under the name of a board is asked again.
check_returned_otherwise() {
    expect 0 '^up:boards$' "$postroad" up "tty:$directory/square/tty-*"
    order square 'plug 1 3'
    await "$log" 'site 1: .*/tty-1 has site 3 now'
    rm "$directory/square/tty-1"
    ln -s "$(readlink "$directory/pair/tty-1")" "$directory/square/tty-1"
    await "$log" 'site 1: .*/tty-1 has a node of another mesh now'
    rm "$directory/square/tty-1"
    ln -s /dev/null "$directory/square/tty-1"
    await "$log" 'site 1: cannot open .*/tty-1: not a serial line'
    expect 0 '4 of 4 sites answer' "$postroad" map
    order square 'plug 1'
    await "$log" 'site 1: answers again'
    expect 0 '4 of 4 sites answer' "$postroad" map --from 1
    expect 0 '^$' "$postroad" down
}

# A line that floods is a nuisance to itself only.
check_noise() {
    expect 0 '^up:boards$' "$postroad" up "tty:$directory/square/tty-*"
    order square 'noise 1'
    expect 0 '4 of 4 sites answer' "$postroad" map --timeout 30
    expect 0 'delivered' "$postroad" send 3 --data 'through the noise' --timeout 30
    expect 5 '' "$postroad" ping 3 --from 1 --timeout 1
    order square 'plug 1'
    await "$log" 'site 1: answers again'
    expect 0 '4 of 4 sites answer' "$postroad" map --from 1
    expect 0 '^$' "$postroad" down
}

# A board whose line has another rate than it should have is found at one of four, and named.
check_rates() {
    order square 'rate 1 250000'
    order square 'rate 2 115200'
    expect 0 'tty-1 answers at 250000 baud, not at 1000000' "$postroad" up "tty:$directory/square/tty-*"
    grep -q 'tty-2 answers at 115200 baud' <<<"$said" || fault "nothing about tty-2: $said"
    expect 0 ' 2 +2 +2/2 ' "$postroad" ping 2 --count 2 --from 1
    expect 0 '^$' "$postroad" down
    expect 0 '^up:boards$' "$postroad" up "$(line square 0)" "$(line square 1)@250000" "$(line square 2)@115200" \
        "$(line square 3)"
    expect 0 '^$' "$postroad" down
    {
        echo '[testbed]'
        for site in 0 1 2 3; do
            printf '[board b%d]\ntype=ulx3s_25f\nbitstream=/dev/null\nsite=%d\nprobe=xvc:localhost:%d\nconsole=%s\n' \
                $site $site $((site + 1)) "$(line square $site)"
        done
    } >"$directory/desk.ini"
    said=$("$postroad" doctor "$directory/desk.ini" 2>&1)
    grep -q 'warning: consoles: board b1 answers at 250000 baud, not at 1000000' <<<"$said" || fault "doctor: $said"
    [ "$(grep -c 'consoles: board' <<<"$said")" = 2 ] || fault "doctor: $said"
    order square 'rate 1 9600'
    expect 5 'tty-1: no node answers within .* at 1000000, 250000, 230400 or 115200 baud' "$postroad" up \
        "tty:$directory/square/tty-*"
    order square 'rate 1 0'
    order square 'rate 2 0'
}

# Each refusal names the lines that are wrong, and leaves nothing behind.
check_refused() {
    local all=("$(line square 0)" "$(line square 1)" "$(line square 2)" "$(line square 3)") fake
    expect 2 'cannot open /nowhere/tty: No such file' "$postroad" up "${all[@]}" tty:/nowhere/tty
    expect 2 'cannot open /nowhere/tty\*: No such file' "$postroad" up 'tty:/nowhere/tty*'
    expect 2 'cannot open /dev/null: not a serial line' "$postroad" up tty:/dev/null "${all[@]:1}"
    expect 1 'tty-0@123: expected a rate from 1200' "$postroad" up "${all[@]:1}" "$(line square 0)@123"
    expect 1 "expected tty:PATH or tty:PATH@BAUD" "$postroad" up "$(line square 0)@fast"
    expect 1 'tty-1 and .*/tty-1 are the same serial line' "$postroad" up "${all[@]}" "$(line square 1)"
    expect 1 'expected one FILE.mesh, or serial lines only' "$postroad" up "${all[@]}" "$directory/square.mesh"
    expect 1 'square.mesh: expected one FILE.mesh' "$postroad" up "$directory/square.mesh" "$directory/square.mesh"
    expect 3 'no line leads to sites 1,3, of 4 sites of this mesh' "$postroad" up "${all[0]}" "${all[2]}"
    expect 3 'pair/tty-1: site 1 of another mesh \(.mesh hash 0x[0-9a-f]+\), expected the mesh of .*square/tty-0' \
        "$postroad" up "${all[0]}" "$(line pair 1)" "${all[@]:2}"
    expect 3 'site 2 twice: .*/square/tty-2 and .*/twin/tty-2' "$postroad" up "${all[@]}" "$(line twin 2)"
    # A node that was never flashed with this kit, one that is silent, and one that sends noise.
    start "$directory/fake" "$imitate" node -m pty
    await "$directory/fake" /dev/pts
    fake=$(grep -o '/dev/pts/[0-9]*' "$directory/fake")
    expect 5 "$fake: no node answers within 5 s" "$postroad" up "${all[@]:1}" "tty:$fake"
    start "$directory/strange" "$imitate" node -t 9 pty
    await "$directory/strange" /dev/pts
    fake=$(grep -o '/dev/pts/[0-9]*' "$directory/strange")
    expect 2 "$fake: answers, but not as a node of this kit" "$postroad" up "${all[@]:1}" "tty:$fake"
    order pair 'noise 0'
    expect 5 'pair/tty-0: no node answers within 5 s' "$postroad" up "$(line pair 0)" "$(line pair 1)"
    order pair 'plug 0'
    # In use: by another mesh, and by a program that keeps others of this kit out.
    expect 0 '^up:boards$' "$postroad" up "${all[@]}"
    expect 2 'tty-0 is in use by process [0-9]+ \(postroad\)' "$postroad" up --name other "${all[@]}"
    expect 2 'is in use by' "$postroad" map --gateway "${all[0]}"
    expect 1 'up:boards' "$postroad" up "$(line pair 0)" "$(line pair 1)"
    expect 0 '4 of 4 sites answer' "$postroad" map
    expect 0 '^$' "$postroad" down
    if compgen -G "$directory/postroad-$(id -u)/*" >/dev/null; then fault "a refused up leaves files"; fi
}

check_permission() {
    local user=nobody there
    if [ "$(id -u)" != 0 ] || ! id $user >/dev/null 2>&1; then
        echo "skipped: only root can be another user"
        return
    fi
    there=$(mktemp -d /tmp/postroad-nobody.XXXXXX)
    install -m 755 "$postroad" "$there/postroad"
    chown -R $user "$there"
    chmod 600 "$(readlink "$directory/pair/tty-0")"
    expect 2 'cannot open /dev/pts/[0-9]+: Permission denied' setpriv --reuid=$user --clear-groups --regid="$(id -g $user)" \
        env XDG_RUNTIME_DIR="$there" "$there/postroad" up "tty:$(readlink "$directory/pair/tty-0")"
    rm -rf "$there"
}

boards_of square 2x2
boards_of twin 2x2
boards_of pair 2x1
[ $# -gt 0 ] || set -- verbs unplugged returned_otherwise noise rates refused permission
run_checks "$@"
