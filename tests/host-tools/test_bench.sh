#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# postroad bench: what it says of a mesh is what the sites' counters say; of a pair of cores, too, and how much faster that is
# than through consoles. Damaged words, a site that dies, one that restarts, one without an evaluator, another bench, a signal
# and SIGKILL: each has its exit status, and afterwards no site sends.
# usage: test_bench.sh [CHECK...]      default: all of them, see the end
# needs: build/firmware/traffic.elf build/firmware/traffic.hex build/firmware/node.elf build/firmware/node.hex
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash bench
grid=hw/mesh/grid-4x4.mesh
traffic=build/firmware/traffic.elf

# up OPTION...: the mesh `bench`, in place of the one before.
up() {
    "$postroad" down --quiet --name bench 2>/dev/null
    expect 0 '^up:bench$' "$postroad" up "$grid" --name bench "$@"
}

# counter NAME SITE: of that site
counter() { "$postroad" stats "$2" --json | python3 -c "import json, sys; print(json.load(sys.stdin)['sites'][0]['$1'])"; }

# sent_by SITES: packets that they have sent, those of this request among them: a few
sent_by() {
    "$postroad" stats "$1" --json |
        python3 -c "import json, sys; print(sum(s['sent_packets'] for s in json.load(sys.stdin)['sites']))"
}

# holds WHAT CONDITION: of the JSON in $said, as `bench`, and its pairs, as `pairs`
holds() {
    python3 -c "import json, sys; bench = json.load(sys.stdin); pairs = bench['pairs']; sys.exit(not ($2))" <<<"$said" ||
        fault "$1: not $2 in $said"
}

# quiet SITES: they send no more. A look costs each of them some packets.
quiet() { rests 100 sent_by "$1"; }

# stopped SITES: they send no more already.
stopped() {
    local before
    before=$(sent_by "$1")
    sleep 0.5
    before=$(($(sent_by "$1") - before))
    [ $before -le 100 ] || fault "sites $1 have sent $before packets more"
}

check_counts() {
    local before after
    up --nodes native
    before=$(counter delivered 6)
    expect 0 '' "$postroad" bench --from 1 --to 6 --packets 3000 --length 8 --json
    after=$(counter delivered 6)
    holds counts "pairs[0]['sent'] == pairs[0]['received'] == 3000 and pairs[0]['lost'] == 0 and pairs[0]['trouble'] is None"
    holds words "bench['data_words'] == 8 and 0 < pairs[0]['clocks_per_packet'] < 200"
    holds rate "abs(pairs[0]['words_per_second'] * pairs[0]['clocks_per_packet'] / 8 / 12e6 - 1) < 1e-6"
    holds trips "0 < pairs[0]['round_trip_clocks']['min'] <= pairs[0]['round_trip_clocks']['mean'] <= 1000"
    holds percentile "pairs[0]['round_trip_clocks']['mean'] / 2 <= pairs[0]['round_trip_clocks']['p99']"
    holds probes "pairs[0]['round_trips'] > 10"
    holds microseconds "abs(pairs[0]['round_trip_us']['mean'] * 12 / pairs[0]['round_trip_clocks']['mean'] - 1) < 1e-6"
    holds time "bench['simulated'] and bench['simulated_clocks_per_second'] > 0"
    # Beside the packets of the run: orders, and requests of counters and identities.
    [ $((after - before)) -ge 3000 ] && [ $((after - before)) -lt 3100 ] ||
        fault "delivered $((after - before)), expected 3000 and few more"
}

# A console shows what others send, and no traffic: neither that of a run, nor anything that would hold it up.
check_console() {
    up --nodes native
    "$postroad" listen 6 --count 1 >"$directory/heard" 2>"$directory/listens" &
    await "$directory/listens" listening
    expect 0 '^ +1 +6 +2000 +0 ' "$postroad" bench --from 1 --to 6 --packets 2000
    expect 0 '' "$postroad" send 6 --from 3 --data words:1,2 --quiet
    within_time grep -q . "$directory/heard" || fault "the console hears nothing"
    wait
    grep -q '^site 6: from 3 .*words:0x1,0x2' "$directory/heard" || fault "heard $(cat "$directory/heard")"
}

check_pairs() {
    up --nodes native
    expect 0 '' "$postroad" bench --from 0-3 --to 1,2,3,0 --packets 500 --json
    holds ring "[p['to'] for p in pairs] == [1, 2, 3, 0] and all(p['received'] == 500 for p in pairs)"
    holds sum "abs(sum(p['words_per_second'] for p in pairs) / bench['words_per_second'] - 1) < 1e-6"
    expect 0 '' "$postroad" bench --from all --to 5 --packets 100 --gap 4000 --json
    holds 'all to one' "len(pairs) == 15 and all(p['to'] == 5 and p['received'] == 100 for p in pairs)"
    holds gap "all(4000 <= p['clocks_per_packet'] for p in pairs)"
    expect 0 '^ +2 +7 +[0-9]+ +0 ' "$postroad" bench --from 2 --to 7 --seconds 0.5
    grep -q '^Simulated time: of 1.2e+07 clocks a second, .* passed in a second of this computer' <<<"$said" ||
        fault "no rate: $said"
    up --nodes native --engine functional
    expect 0 '' "$postroad" bench --from 0,5 --to 9,2 --packets 2000 --json
    holds functional "all(p['received'] == 2000 for p in pairs)"
}

# The orders may go through a site that sends as fast as it can. Its console has room all the same.
check_gateway() {
    up --nodes native
    expect 0 '^ +0 +5 +[0-9]+ +0 ' "$postroad" bench --from 0 --to 5 --seconds 1 --timeout 3 \
        --gateway "unix:$directory/postroad-$(id -u)/bench/site-0"
}

# A packet through consoles, on cores, in clocks: the time from one accepted packet to the next.
console_clocks() {
    "$postroad" send 1 --from 0 --count 5 --data words:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 --json |
        python3 -c "import json, sys; c = [p['accepted_clock'] for p in json.load(sys.stdin)['packets']]; print(c[4] - c[0] >> 2)"
}

# on_cores SERVICE TIMES: evaluators send so many times more packets than consoles do, in the same run.
on_cores() {
    local console
    up --nodes core:0-1,native:2-15 --firmware $traffic --reliable "$1"
    expect 0 '' "$postroad" bench --from 0 --to 1 --packets 100 --json
    holds 'a pair of cores' "pairs[0]['received'] == 100 and pairs[0]['round_trips'] > 5"
    console=$(console_clocks)
    holds "faster than $console clocks" "pairs[0]['clocks_per_packet'] * $2 <= $console"
    echo "reliable $1: console $console clocks, $(grep -o '"clocks_per_packet":.*' <<<"$said")"
}

check_cores() {
    on_cores 1 4
    on_cores 0 10
}

check_qemu() {
    up --nodes qemu:0-1,native --firmware $traffic
    expect 0 '' "$postroad" bench --from 0,1 --to 1,2 --packets 300 --json
    holds 'guests' "all(p['received'] == 300 and p['round_trips'] > 5 for p in pairs)"
}

check_faults() {
    up --nodes native --fault corrupt:0.0005 --seed 3
    expect 0 '' "$postroad" bench --from 0 --to 15 --packets 400 --json
    holds 'sent again' "pairs[0]['received'] == 400 and pairs[0]['resent'] > 0"
    up --nodes native --reliable 0 --fault corrupt:0.0005 --seed 3
    expect 4 '' "$postroad" bench --from 0 --to 15 --packets 400 --json --timeout 4
    holds lost "0 < pairs[0]['lost'] < 400 and pairs[0]['lost'] == pairs[0]['sent'] - pairs[0]['received']"
}

check_death() {
    up --nodes native --fault stop:15:400000 --fault reset:14:400000
    expect 4 'site 15: silent during the run' "$postroad" bench --from 1,2 --to 15,6 --seconds 3 --gap 2000 --timeout 2
    grep -Eq '^ +2 +6 +[0-9]+ +0 ' <<<"$said" || fault "the other pair has not ended well: $said"
    quiet 1,2
    up --nodes native --fault reset:14:500000
    expect 4 'site 14: restarted during the run' "$postroad" bench --from 1 --to 14 --seconds 3 --gap 2000 --timeout 2
}

check_without() {
    up --nodes native:0-13,core:14-15
    expect 3 'sites 14-15 run no traffic evaluator, expected one at both ends: postroad load 14-15 .*/traffic.elf' \
        "$postroad" bench --from 1,14 --to 2,15
    expect 0 '' "$postroad" load 14-15 "$PWD/$traffic" --quiet
    expect 0 '' "$postroad" bench --from 1,14 --to 2,15 --packets 20
}

check_arguments() {
    up --nodes native
    expect 1 'no --from, expected the sites that send' "$postroad" bench --to 3
    expect 1 'no --to, expected the sites that receive' "$postroad" bench --from 3
    expect 1 '--to: 2 sites, expected one for all, or one for each of the 3' "$postroad" bench --from 1-3 --to 4,5
    expect 1 '--to: site 2 would send to itself' "$postroad" bench --from 1,2 --to 3,2
    expect 1 '--to: site 2 would send to itself' "$postroad" bench --from 2 --to 2
    expect 1 '--from.*16' "$postroad" bench --from 16 --to 2
    expect 1 '--to' "$postroad" bench --from 1 --to 2,2
    expect 1 '--length: 60, expected 2 to 59' "$postroad" bench --from 1 --to 2 --length 60
    expect 1 'length' "$postroad" bench --from 1 --to 2 --length 1
    expect 1 'packets' "$postroad" bench --from 1 --to 2 --packets 0
    expect 1 'seconds' "$postroad" bench --from 1 --to 2 --seconds 0
    expect 1 '' "$postroad" bench 1 2
}

# interrupted SIGNAL STATUS CHECK: while two sites send; they are `stopped`, or become `quiet`.
interrupted() {
    local status
    "$postroad" bench --from 0,1 --to 2,3 --packets 10000000 --gap 50 >"$directory/said" 2>&1 &
    bench=$!
    within_time grows || fault "no traffic"
    expect 3 'another bench runs in up:bench' "$postroad" bench --from 8 --to 9 --packets 1
    kill -"$1" $bench
    wait $bench 2>/dev/null
    status=$?
    [ $status = "$2" ] || fault "exit status $status after SIG$1, expected $2: $(cat "$directory/said")"
    "$3" 0,1
    expect 0 '' "$postroad" bench --from 8 --to 9 --packets 1
}

# True once site 2 gets much.
grows() {
    local before
    before=$(counter delivered 2)
    sleep 0.2
    [ $(($(counter delivered 2) - before)) -gt 20 ]
}

check_interrupted() {
    up --nodes native
    interrupted INT 130 stopped
    interrupted KILL 137 quiet
}

if [ $# = 0 ]; then set -- counts console pairs gateway cores qemu faults death without arguments interrupted; fi
run_checks "$@"
