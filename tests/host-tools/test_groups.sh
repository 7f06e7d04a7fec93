#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Groups over the daemon: sites join and leave, send and listen; all members get the packets in one order; what is refused
# and why. The same with firmware under QEMU, and with LONG on cores: sites of 128 KB with build/firmware/group_node.elf. There
# the replicated log, too: appended to by all sites at once, and by one that has been restarted and joins again.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/tools.bash
work=$(mktemp -d)
trap 'build/postroad down --name groups >/dev/null 2>&1 || true; rm -rf "$work"' EXIT

fail() {
    echo "FAIL $1" >&2
    exit 1
}

# refused CODE TEXT VERB...: the verb ends with this code, and says this.
refused() {
    local code=$1 text=$2 status=0
    shift 2
    build/postroad "$@" >"$work/out" 2>&1 || status=$?
    [ "$status" -eq "$code" ] || fail "postroad $*: exit code $status, expected $code"
    grep -qF -- "$text" "$work/out" || fail "postroad $*: $(<"$work/out"), expected: $text"
}

# Sites 0 to 2 send, all four deliver the same packets in the same order.
check_order() {
    local site
    build/postroad listen --group 7 --count "$1" --timeout 60 >"$work/heard" &
    sleep 0.7
    build/postroad send 0-2 --group 7 --handler 9 --data text:hi --count "$2" >"$work/sent"
    wait
    for site in 0 1 2 3; do
        sed -nE "s/^site $site: from ([0-9]+) sequence ([0-9]+) .* info:(0x7,0x[0-9a-f]+) text:\"hi\"/\1 \2 \3/p" "$work/heard" \
            >"$work/order.$site"
        cmp "$work/order.0" "$work/order.$site" || fail "site $site delivers in another order"
    done
    [ "$(wc -l <"$work/order.0")" -eq $((3 * $2)) ] || fail "$(wc -l <"$work/order.0") deliveries at site 0, expected $((3 * $2))"
}

# with_group OPTION...: a mesh of four sites, which are members of group 7 and have sent to it.
with_group() {
    build/postroad up "$@" --name groups >"$work/up" 2>&1 || fail "$(<"$work/up")"
    build/postroad group 0-3 --join 7 >"$work/joined"
    grep -qx 'site 3: group 7, gt-order, led by site 0, view 4, members 0-3' "$work/joined" || fail "$(<"$work/joined")"
    check_order 24 2
}

# What the log's sites have answered to site 0.
answers() { grep -E '^site 0: from . .* handler 1 ' "$work/answers" || :; }

# ask WORDS: all four answer this request of the log. Their answers, the same ones together.
ask() {
    local before
    before=$(answers | wc -l)
    build/postroad send 0-3 --handler 17 --data "words:$1" -q
    until [ $(($(answers | wc -l) - before)) -ge 4 ]; do sleep 0.05; done
    answers | tail -n 4 | sed 's/.* words://' | sort | uniq -c
}

# logs_agree ENTRIES: so many, with the same check.
logs_agree() {
    until [[ $(ask 1) == *" 4 $(printf '0x%x' "$1"),0x0,"* ]]; do sleep 0.1; done
}

# with_log KIND: all sites append at once, and one that was restarted joins again. Ends by the time limit if logs disagree.
with_log() {
    local image=build/firmware/replicated_log.elf
    build/postroad up "$work/large.mesh" --nodes "$1" --firmware $image --name groups >"$work/up" 2>&1 || fail "$(<"$work/up")"
    build/postroad group 0-3 --join 1 -q
    build/postroad listen 0 >"$work/answers" 2>"$work/listens" &
    until grep -qs listening "$work/listens"; do sleep 0.05; done
    for entry in 1 2 3; do ask "0,7$entry,80" >/dev/null; done
    logs_agree 12
    build/postroad load 3 $image -q
    build/postroad send 0-2 --handler 17 --data words:0,90 -q
    build/postroad group 3 --join 1 --leader 0 -q
    ask 0,91,92,93 >/dev/null
    logs_agree 19
    build/postroad down --name groups >/dev/null 2>&1
    wait $! || : # its mesh has gone
}

sed 's/^ram_bytes = .*/ram_bytes = 131072/; s/^size *=.*/size = 2x2/' hw/mesh/grid-4x4.mesh >"$work/large.mesh"
for nodes in qemu ${LONG:+core}; do
    with_group "$work/large.mesh" --nodes "$nodes" --firmware build/firmware/group_node.elf
    build/postroad down --name groups >/dev/null 2>&1
    with_log "$nodes"
done
# Firmware without groups says so, and at once.
build/postroad up hw/mesh/grid-2x2.mesh --nodes qemu --name groups >"$work/up" 2>&1 || fail "$(<"$work/up")"
refused 3 'site 3: its firmware has no groups' group 3
refused 3 'site 1: its firmware has no groups' group 1,2 --join 7 --timeout 60
refused 3 'site 2: its firmware has no groups' send 2 --group 7 --data 1
build/postroad down --name groups >/dev/null 2>&1
with_group hw/mesh/grid-2x2.mesh --nodes native
grep -q '"members":[[:space:]]*\[0,[[:space:]]*1,[[:space:]]*2,[[:space:]]*3\]' <(build/postroad group 1 --json) ||
    fail "the members are not in the JSON"
refused 3 'site 0, group 7: the leader cannot leave before the others' group 0 --leave 7
build/postroad group 3 --leave 7 -q
refused 3 'site 3, group 7: the site is no member' send 3 --group 7 --data 1
refused 1 '--shape star: unknown shape, expected direct' group 0 --join 8 --shape star
refused 1 '--leader 9: no site of this mesh, expected less than 4' group 0 --join 8 --leader 9
refused 1 'more than one is given' group 0 --join 8 --leave 7
build/postroad group 3 --join 7 --leader 0 -q
check_order 12 1
build/postroad group 0-2 --join 8 --shape circuit -q
grep -qx 'site 2: group 8, circuit, led by site 0, view 3, members 0-2' <(build/postroad group 2) || fail "group 8 is not listed"
build/postroad down --name groups >/dev/null 2>&1

echo "PASS groups over the daemon"
