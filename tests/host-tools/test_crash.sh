#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What a site's firmware did when it ended, in one line with the place in the source: the same on the core and under QEMU. And
# firmware that hangs, or starts again.
# needs: build/firmware/crash.elf build/firmware/crash.hex
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash crash
run=$directory/postroad-$(id -u)/crash

bring_up() {
    $postroad up "$directory/small.mesh" --name crash --quiet --nodes "$1" --firmware "${2:-build/firmware/crash.elf}" "${@:3}" \
        >/dev/null || fault "up --nodes $1: exit status $?"
}

# Tells the image at a site what to do (tests/firmware/crash/main.c).
tell() {
    $postroad send "$1" --handler 9 --data "words:$2" --no-wait >/dev/null || fault "send to $1: exit status $?"
}

# The report of a site, without the clock.
report() {
    sed -n "s/^site $1: \(crashed: .*\), at clock .*/\1/p" "$run/log"
}

# crash HOW CAUSE LINE: the same way on the core and under QEMU.
crash() {
    bring_up native:0-1,core:2,qemu:3
    tell 2 "$1"
    tell 3 "$1"
    await "$run/log" '^site 2: crashed'
    await "$run/log" '^site 3: crashed'
    [ "$(report 2)" = "$(report 3)" ] || fault "on the core: $(report 2); under QEMU: $(report 3)"
    local here="in crash_here \(.*/crash/main\.c:$3\)" caller='in pr_events_deliver \(.*events\.c:'
    grep -Eq "^crashed: $2 at 0x8000[0-9a-f]{4} $here; ra .* $caller" <<<"$(report 3)" || fault "not as expected, $2: $(report 3)"
    $postroad down crash || fault "down: exit status $?"
}

# A guest that hangs is found out after 5 s, a core after a million clocks, and where it is.
hang() {
    bring_up native:0-1,core:2,qemu:3
    tell 2 4
    tell 3 4
    await "$run/log" "^site 3: hangs: has worked for 5 s .* in hang_here \\(.*crash/main\\.c:.* in crash \\(.*crash/main\\.c:"
    await "$run/log" \
        "^site 2: hangs: has worked for [0-9]+ clocks .* in hang_here \\(.*crash/main\\.c:.* in crash \\(.*crash/main\\.c:"
    $postroad ping 1 --count 1 >/dev/null || fault "ping beside a guest that hangs: exit status $?"
    expect 0 '^crash +up +4 +2 ' $postroad list
    expect 0 '"sites_in_trouble":[[:space:]]*2' $postroad list --json
    expect 0 'loaded: sites 2-3' $postroad load 2-3 # what they had, and with the same image
    expect 0 '^crash +up +4 +native' $postroad list
    expect 0 'delivered: .* sites 2-3' $postroad send 2-3 --handler 8 --data text:hello
    expect 1 'site 0 .*native' $postroad load 0
    $postroad down crash || fault "down: exit status $?"
}

# Firmware that starts again by itself is a site that was reset: who has sent to it before is told so.
again() {
    local sent
    bring_up native:0-2,qemu:3 build/firmware/crash.elf "$@"
    sent=$($postroad send 3 --handler 9 --data words:5)
    grep -Eq 'site 3: restarted|delivered: .* site 3' <<<"$sent" || fault "the packet that it started again for: $sent"
    await "$run/log" '^site 3: is reset: its firmware has started again, at clock'
    expect 0 'delivered: .* site 3' $postroad send 3 --handler 8 --data text:hello
    [ "$(grep -c 'is reset' "$run/log")" = 1 ] || fault "the log: $(cat "$run/log")"
    $postroad down crash || fault "down: exit status $?"
}

line_of() {
    grep -n "$1" tests/firmware/crash/main.c | cut -d : -f 1
}

printf '[mesh]\nfabric=cutthrough\ntopology=grid\nsize=2x2\nword_width=16\n' >"$directory/small.mesh"

crash 0 'environment call \(ecall\) \(mcause 11\)' "$(line_of '"ecall"')"
hang
again
again --quantum 50

# A site that dies is missing from then on; the others go on.
bring_up qemu build/firmware/node.elf
kill -KILL "$(pgrep -f "^qemu-system-riscv32.*$run/qemu-3\.port")"
await "$run/log" '^site 3: its QEMU was ended by signal 9, at clock'
$postroad map --timeout 2 >"$directory/map" 2>&1
[ $? = 4 ] || fault "map with a dead site: $(cat "$directory/map")"
grep -q '3 of 4 sites answer' "$directory/map" || fault "map with a dead site: $(cat "$directory/map")"
$postroad stats --timeout 2 >"$directory/stats" 2>&1
[ $? = 4 ] || fault "stats with a dead site: $(cat "$directory/stats")"
expect 4 'site 3 does not answer' $postroad listen all --timeout 2
grep -q 'listening at 3 sites' <<<"$said" || fault "listen at a dead site: $said"
expect 5 'site 3 does not answer' $postroad listen 3 --timeout 2
$postroad ping 2 --count 1 >/dev/null || fault "ping among the others: exit status $?"

[ $faults = 0 ] && echo "all good"
[ $faults = 0 ]
