#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# postroad console of several sites: one stream with stamps and names, a filter, log files, JSON; what ends it; bad input.
# needs: build/firmware/crash.elf build/firmware/crash.hex
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash console
mesh=$directory/small.mesh
run=$directory/postroad-$(id -u)/small

# has FILE TEXT, has_no FILE TEXT
has() {
    grep -Eq -- "$2" "$directory/$1" || fault "$1: nothing like '$2' in: $(cat "$directory/$1")"
}
has_no() {
    if grep -Eq -- "$2" "$directory/$1"; then fault "$1 has '$2': $(cat "$directory/$1")"; fi
}

# In the background; returns when it watches.
console() {
    local name=$1
    shift
    $postroad console "$@" >"$directory/$name" 2>"$directory/$name.notes" &
    consoles+=($!)
    await "$directory/$name.notes" 'sites? at up:small'
}

printf '[mesh]\nfabric=cutthrough\ntopology=grid\nsize=2x2\nword_width=16\n' >"$mesh"

expect 2 'no mesh is up' $postroad console all
expect 0 '^up:' $postroad up "$mesh" --quiet --nodes native:0-1,core:2,qemu:3 --firmware build/firmware/crash.elf
expect 1 'unknown site 4' $postroad console 3,4
expect 1 'expected sites like' $postroad console 1- --timeout 1
expect 1 '--filter' $postroad console all --filter '(' --timeout 1
expect 1 'none.*(directory|folder)' $postroad console all --log /none/none --timeout 1
expect 1 'expected a mesh that is up' $postroad console all --gateway unix:/none --timeout 1
expect 0 '' $postroad console all --timeout 0.2

consoles=()
console all all --log "$directory/logs"
console filtered 2,3 --filter 'crash.d: .* \(mcause 11\)'
console other 0,1
console json 3 --filter crashed --json
for site in 2 3; do
    $postroad send $site --handler 9 --data words:0 --no-wait >/dev/null || fault "send to $site: exit status $?"
done
for file in all filtered; do
    for site in 2 3; do
        await "$directory/$file" "^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{3} site $site: crashed: .* in crash_here "
    done
done
await "$directory/json" '"site":3,.*"text":"crashed'
for site in 2 3; do
    has all "site $site: trap: mcause 0000000b mepc"
    has logs/site-$site.log '^20[0-9-]+T[0-9:.]+ trap: mcause 0000000b mepc'
    has logs/site-$site.log '^20[0-9-]+T[0-9:.]+ crashed: '
done
has_no filtered 'trap:'
has json '^\{"schema":"postroad.console",'
has_no json '"site":2'
has_no other .
has_no logs/site-0.log .
[ "$(wc -l <"$directory/filtered")" = 2 ] || fault "lines of filtered: $(cat "$directory/filtered")"

# At a terminal lines are edited, and kept for the next time, for this user only.
export XDG_STATE_HOME=$directory/state
history=$XDG_STATE_HOME/postroad/console_history

# type_lines LETTERS...: what the terminal shows when they are typed behind a prompt, each with a moment's rest before it.
type_lines() {
    local letters shown=$directory/shown
    : >"$shown"
    (within_time grep -q 'site 0> ' "$shown"; for letters in "$@" '\x04'; do sleep 0.4; printf %b "$letters"; done) |
        TERM=xterm script -qec "$postroad console 0" /dev/null >"$shown" 2>&1
    tr -d '\r' <"$shown"
}
typed=$(type_lines 'echo tow\x02\x02\x14\n' '\x1b[A\n')
[ "$(grep -c '^otw$' <<<"$typed")" = 2 ] || fault "editing and the last line again: $typed"
typed=$(type_lines '\x1b[A\n')
[ "$(grep -c '^otw$' <<<"$typed")" = 1 ] || fault "the last line of another time: $typed"
[ "$(stat -c %a "$history")" = 600 ] || fault "mode of the history: $(stat -c %a "$history")"
echo mine >"$directory/mine"
ln -sf "$directory/mine" "$history"
typed=$(type_lines 'echo on\n')
grep -q '^on$' <<<"$typed" || fault "without a history: $typed"
[ "$(cat "$directory/mine")" = mine ] || fault "a history was written through a link"
[ "$(printf 'echo a\necho b' | $postroad console 0 2>&1)" = $'a\nb' ] || fault "piped input"
[ -L "$history" ] || fault "piped input has a history"

# The mesh goes: they say so.
expect 0 '' $postroad down small
for console in "${consoles[@]}"; do
    wait "$console"
    status=$?
    [ $status = 2 ] || fault "exit status $status of a console whose mesh is gone, expected 2"
done
has all.notes 'lost the connection'
if [ -e "$run" ]; then fault "files are left after down"; fi
[ $faults = 0 ] && echo "all good"
[ $faults = 0 ]
