#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# postroad flash, or one of its programmers, is ended at any moment, by any signal. Never has a board a label that does not fit,
# and the next run ends well. Boards are imitated.
# usage: test_flash_kill.sh
# environment: SEED (1), ROUNDS (5; LONG: 10; make soak-flash: 100)
# needs: build/postroad build/firmware/node.elf build/tests/host-tools/imitate build/tests/host-tools/real_ttys.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/flash_desk.bash
source tests/host-tools/flash_desk.bash flash-kill
RANDOM=${SEED:-1}
rounds=${ROUNDS:-${LONG:+10}}
rounds=${rounds:-5}
echo "SEED=${SEED:-1}, $rounds rounds"

# begin ARGUMENT...: postroad flash in the background; its process is $victim.
begin() {
    rm -f "$desk/pid"
    # shellcheck disable=SC2016  # the inner shell's
    on_desk bash -c 'echo $$ >"$0"; exec "$@"' "$desk/pid" build/postroad flash "$desk/testbed.ini" "$@" \
        >"$desk/out" 2>"$desk/err" </dev/null &
    runner=$!
    for ((tries = 0; tries < 3000; tries++)); do
        if [ -s "$desk/pid" ]; then break; fi
        sleep 0.02
    done
    victim=$(cat "$desk/pid")
}

# A programmer that is at work, if there is one.
a_programmer() {
    cut -d ' ' -f 1 "/proc/$victim/task/$victim/children" 2>/dev/null
}

# end_at MILLISECONDS SIGNAL WHAT
end_at() {
    local target=$victim
    sleep "$(printf '0.%03d' "$1")"
    [ "$3" = postroad ] || target=$(a_programmer)
    [ -z "$target" ] || kill -"$2" "$target" 2>/dev/null
    wait $runner
    status=$?
}

# How often programmers have been started.
calls() { cat "$desk"/boards/*/calls | wc -l; }

# Ended while its node does not answer, a board holds all of it, and is said to.
check_greeting() {
    console_fault 0 silent
    begin --only b0 --force --hello 60 --json
    await_text "$desk/out" '"step".*waits for the node'
    kill -INT "$victim"
    wait $runner
    [ $? = 130 ] || fault "ended while it waits for a node: $(cat "$desk/err")"
    [ "$(jq -c 'select(.event == "ended") | [.result, .half_written, .holds_all]' "$desk/out")" = \
        '["interrupted",false,true]' ] || fault "ended while it waits for a node: $(tail -n 2 "$desk/out")"
    console_fault 0
}

boards_on_desk ulx3s_25f 0403:6015 2x2 4
flash 0
check_greeting
mended=0
signals=(INT TERM HUP KILL KILL)
for ((round = 0; round < rounds; round++)); do
    signal=${signals[RANDOM % 5]}
    what=postroad
    if [ $((RANDOM % 4)) = 0 ]; then what=programmer; fi
    delay=$((RANDOM % 1000))
    before=$(calls)
    begin --force --hello 10
    end_at $delay "$signal" $what
    case $what-$signal-$status in
        postroad-[ITH]*-130 | postroad-[ITH]*-0 | postroad-KILL-* | programmer-*) ;;
        postroad-INT-2 | postroad-TERM-15 | postroad-HUP-1) # when all was done, and signals were no longer waited for
            [ "$(grep -cE '^postroad flash: b[0-3]: written$' "$desk/err")" = 4 ] ||
                fault "round $round: $what does not answer $signal after $delay ms: $(cat "$desk/err")" ;;
        *) fault "round $round: $what ended by $signal after $delay ms: exit status $status, $(cat "$desk/err")" ;;
    esac
    # While it looks at boards and files, it ends without a word, as no board is touched.
    if [ $status = 130 ] && { [ -s "$desk/out" ] || [ "$(calls)" != "$before" ]; }; then
        in_output out ' interrupted|written|timed out'
    fi
    rm -rf "$desk/tmp"/* # a killed program leaves its folder
    flash 0 --verify
    ! grep -q 'differs from its label' "$desk/err" || fault "round $round: a label that does not fit: $(cat "$desk/err")"
    mended=$((mended + $(grep -cE '^b[0-3] .* written ' "$desk/out")))
    [ "$(grep -cE '^b[0-3] .* (written|was right) ' "$desk/out")" = 4 ] || fault "round $round: $(cat "$desk/out")"
done
[ $mended -gt 0 ] || fault 'no board was half-written'
[ $faults = 0 ] && echo "all good: $mended boards were half-written"
[ $faults = 0 ]
