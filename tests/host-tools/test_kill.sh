#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Anything is killed at any moment. Meshes of random kinds of sites, in both kinds of time, under load; at random moments a QEMU,
# the daemon or a tool is killed, ended, or stopped for a while, a client does not read or writes rubbish, a site that has died is
# loaded again. What was sent comes at most once, and if `send` says so, exactly once; the others go on; deaths are reported;
# `down` leaves nothing, and the next mesh is brought up in the same place.
# environment: SEED draws the same meshes, victims and pauses; ROUNDS (2; LONG: 5): meshes; VICTIMS: what happens in each, of the
# functions called disturb_*, without that
# needs: build/tests/host-tools/imitate
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash kill
# shellcheck disable=SC2154  # verbs.bash has it
mesh=$directory/small.mesh
base=$directory/postroad-$(id -u)
run=$base/victims
imitate=build/tests/host-tools/imitate
sites=6
talkers=3
rounds=${ROUNDS:-${LONG:+5}}
rounds=${rounds:-2}
seed=${SEED:-$RANDOM}

# Sets $picked: below N, or one of the arguments.
pick() { picked=$((RANDOM * 32768 + RANDOM)); picked=$((picked % $1)); }
pick_of() { local all=("$@"); pick $#; picked=${all[picked]}; }

# For a random time, LEAST to MOST milliseconds.
pause() {
    pick $(($2 - $1 + 1))
    sleep "$(printf '%d.%03d' $((($1 + picked) / 1000)) $((($1 + picked) % 1000)))"
}

note() { echo "$EPOCHREALTIME $*" >>"$round/notes"; }

guest() { pgrep -f "^qemu-system-riscv32.*$run/qemu-$1\.port"; }

# Random kinds, so that two sites at least have a QEMU: sets $nodes and kinds[SITE].
pick_nodes() {
    local site
    kinds=()
    nodes=
    for ((site = 0; site < sites; site++)); do
        pick_of qemu qemu native native core
        if [ $site = 1 ] || [ $site = 4 ]; then picked=qemu; fi
        kinds[site]=$picked
        nodes+=,$picked:$site
        note "kind $site $picked"
    done
    nodes=${nodes#,}
}

alive() {
    local site
    for ((site = 0; site < sites; site++)); do
        if [ -z "${dead[site]:-}" ]; then echo "$site"; fi
    done
}

alive_list() { alive | paste -sd ,; }

# A random site that is alive; with a QEMU. Sets $picked; false if there is none.
pick_alive() {
    local list=() site
    for site in $(alive); do
        if [ "${1:-${kinds[site]}}" = "${kinds[site]}" ]; then list+=("$site"); fi
    done
    [ ${#list[@]} -gt 0 ] && pick_of "${list[@]}"
}

# ---- load ----

# talk NUMBER SEED: packets with a text of their own, one after the other, from random sites to up to three.
talk() {
    local n from text to status targets
    RANDOM=$2
    for ((n = 0; ; n++)); do
        if [ -e "$round/stop" ]; then break; fi
        text=$(printf '%dx%06d' "$1" $n)
        pick $sites
        from=$picked
        targets=$(shuf -i 0-$((sites - 1)) -n $((1 + RANDOM % 3)) --random-source=<(yes $RANDOM) | sort -n)
        to=${targets//$'\n'/,}
        echo "$text $to" >>"$round/meant.$1"
        "$postroad" send "$to" --from "$from" --data "text:$text" --count $((1 + RANDOM % 4)) --timeout 3 \
            >"$round/said.$1" 2>&1 &
        echo $! >"$round/send.$1.pid"
        wait $!
        status=$?
        echo "$EPOCHREALTIME $status $text from $from to $to: $(tr '\n' ';' <"$round/said.$1")" >>"$round/sent"
    done
}

ping_on() {
    local status
    RANDOM=$1
    until [ -e "$round/stop" ]; do
        pick $sites
        "$postroad" ping all --from "$picked" --count 2 --timeout 2 >"$round/pinged" 2>&1 &
        echo $! >"$round/ping.pid"
        wait $!
        status=$?
        echo "$EPOCHREALTIME $status $(tail -n 1 "$round/pinged")" >>"$round/pings"
    done
}

# tool NAME COMMAND...: one that listens or watches all the time; returns when it does.
tool() {
    local name=$1
    shift
    "$postroad" "$@" >"$round/$name" 2>"$round/$name.notes" &
    echo $! >"$round/$name.pid"
    await "$round/$name.notes" 'at 6 sites|6 sites at'
}

begin_load() {
    local number
    tool ear listen all
    tool other listen all --events
    tool watch console all
    for ((number = 0; number < talkers; number++)); do
        talk $number $((seed + turn * talkers + number)) 2>/dev/null &
        workers+=($!)
    done
    ping_on $((seed + turn)) 2>/dev/null &
    workers+=($!)
}

# ---- what goes wrong ----

hit() {
    kill "-$1" "$2" 2>/dev/null || return 1
    case $1 in
        STOP) pause 100 1500; kill -CONT "$2" ;;
    esac
}

reported() {
    local file
    for file in "$run/log" "$round/ear.notes" "$round/watch"; do
        if [ "$file" = "$round/watch" ] && [ -n "${watch_died:-}" ]; then continue; fi
        await "$file" "site $1: (log: )?$2"
    done
}

# All that live answer a live one. Not at the first time of asking, if a guest stands still and has to be found first, or a core
# with much to do drops the question.
others_live() {
    local from tries
    pick_alive || return
    from=$picked
    for tries in 1 2 3; do
        if "$postroad" ping "$(alive_list)" --from "$from" --count 1 --timeout 6 >"$round/pinged.all" 2>&1; then return; fi
    done
    fault "site $from does not reach all that live, $(alive_list), in $tries times: $(cat "$round/pinged.all")"
}

disturb_guest() {
    local site signal
    pick_alive qemu || return
    site=$picked
    pick_of KILL KILL TERM STOP STOP
    signal=$picked
    note "SIG$signal to the QEMU of site $site"
    note "disturbed $site"
    if [ "$signal" != STOP ]; then
        dead[site]=1
        note "dead $site"
    fi
    hit "$signal" "$(guest "$site")" || fault "site $site has no QEMU"
    case $signal in
        KILL) reported "$site" 'its QEMU was ended by signal 9' ;;
        TERM) reported "$site" 'ended: .*terminating on signal 15' ;;
    esac
}

disturb_tool() {
    local tool signal
    pick_of send.0 send.1 send.2 ping other other watch
    tool=$picked
    pick_of KILL TERM STOP
    signal=$picked
    note "SIG$signal to $tool"
    if [ "$tool" = watch ] && [ "$signal" != STOP ]; then watch_died=1; fi
    hit "$signal" "$(cat "$round/$tool.pid" 2>/dev/null)"
}

# A gdb is killed while its guest runs, or stands still.
disturb_gdb() {
    local site pid
    pick_alive qemu || return
    site=$picked
    mkfifo "$round/gdb.in.$events"
    pick_of 'shell true' continue
    note "gdb at site $site: $picked"
    note "disturbed $site"
    exec {input}<>"$round/gdb.in.$events"
    "$postroad" gdb "$site" -- -ex "$picked" <&$input >"$round/gdb" 2>&1 {input}<&- &
    pid=$!
    pause 0 1500
    pick_of KILL TERM
    kill -"$picked" $pid 2>/dev/null
    wait $pid 2>/dev/null
    exec {input}<&-
}

# One that listens and does not read, until the end; and so many packets to a site that is quick that its socket is full.
disturb_socket() {
    local site text
    "$postroad" listen "$(alive_list)" --events >"$round/deaf" 2>"$round/deaf.$events" &
    deaf+=($!)
    await "$round/deaf.$events" 'listening at'
    kill -STOP "${deaf[-1]}"
    pick_alive native || return
    site=$picked
    note "a client that does not read what comes for site $site"
    text=$(printf '%0200d' $events)
    echo "$text $site" >>"$round/meant.full"
    expect 0 '' timeout 20 "$postroad" send "$site" --from "$site" --count 1500 --no-wait --quiet --data "text:$text"
    full+=("$round/deaf.$events")
}

# Who has not read learns that something is missing.
let_read() {
    local notes
    kill -CONT "${deaf[@]}"
    for notes in "${full[@]}"; do
        await "$notes" 'events lost: this client reads too slowly'
    done
}

disturb_rubbish() {
    local site
    pick $sites
    site=$picked
    pick 3000
    note "rubbish to site $site"
    head -c "$picked" /dev/urandom | timeout 5 "$imitate" node -w "$run/site-$site" >/dev/null 2>&1
}

# A site that has died starts again; at the second time of asking, if the first tool to ask for it is killed.
disturb_load() {
    local site pid
    for site in "${!dead[@]}"; do
        if [ -z "${dead[site]}" ]; then continue; fi
        note "load $site"
        "$postroad" load "$site" build/firmware/node.elf >/dev/null 2>&1 &
        pid=$!
        pause 0 300
        kill -KILL $pid 2>/dev/null
        wait $pid 2>/dev/null
        expect 0 'loaded' "$postroad" load "$site" build/firmware/node.elf
        dead[site]=
        note "alive $site"
    done
}

# The daemon, while the ear has much to read, no more than a socket holds: of one site more than of others, if one is quick.
disturb_daemon() {
    local signal site text
    kill -STOP "$(cat "$round/ear.pid")"
    if pick_alive native; then
        site=$picked
        text=$(printf 'much%0196d' $events)
        echo "$text $site" >>"$round/meant.much"
        timeout 20 "$postroad" send "$site" --from "$site" --count 50 --data "text:$text" >"$round/said.much" 2>&1
        echo "$EPOCHREALTIME $? $text from $site to $site: $(tr '\n' ';' <"$round/said.much")" >>"$round/sent"
    fi
    pick_of KILL KILL TERM STOP STOP
    signal=$picked
    note "SIG$signal to the daemon"
    if [ "$signal" != STOP ]; then
        note "dead all"
        ended=$signal
    fi
    hit "$signal" "$(cat "$run/pid")"
    kill -CONT "$(cat "$round/ear.pid")"
}

# ---- a round ----

# `up` itself may be killed. Then `down` clears away what there is.
up_killed() {
    local pid
    "$postroad" up "$mesh" --name victims --nodes "$nodes" "$@" >"$round/up" 2>&1 &
    pid=$!
    pause 0 700
    note "SIGKILL to up"
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    take_down '[01]'
}

# take_down STATUS; itself killed at first, sometimes.
take_down() {
    local status pid said=
    pick 3
    if [ "$picked" = 0 ]; then
        "$postroad" down victims >/dev/null 2>&1 &
        pid=$!
        pause 0 50
        note "SIGKILL to down"
        kill -KILL $pid 2>/dev/null
        wait $pid 2>/dev/null
        set -- '[01]'
    fi
    said=$(timeout 60 "$postroad" down victims 2>&1)
    status=$?
    grep -q "^$1$" <<<"$status" || fault "down: exit status $status, expected $1: $said"
    [ $status = 0 ] || grep -q "no mesh 'victims' is up" <<<"$said" || fault "down: $said"
    if pgrep -f "$run/" >/dev/null; then fault "left after down: $(pgrep -af "$run/")"; fi
    if [ -e "$run" ]; then fault "left after down: $(ls -l "$run")"; fi
}

# What each tool says when its daemon goes, and its exit status.
end_load() {
    local name status
    touch "$round/stop"
    wait "${workers[@]}"
    for name in ear other watch; do
        wait "$(cat "$round/$name.pid")"
        status=$?
        if [ $name = ear ] || grep -q . "$round/$name.notes"; then
            note "$name ended with $status"
        fi
        if [ $name = ear ] && [ $status != 2 ]; then fault "ear ended with $status: $(cat "$round/ear.notes")"; fi
        if [ $status = 2 ] && ! grep -q 'lost the connection to up:victims' "$round/$name.notes"; then
            fault "$name does not say why it ended: $(cat "$round/$name.notes")"
        fi
    done
    if [ ${#deaf[@]} -gt 0 ]; then
        kill -KILL "${deaf[@]}"
        wait "${deaf[@]}"
    fi 2>/dev/null
}

# Reads notes, meant, sent, and what the ear has heard. A site that dies takes with it what its console still had to say: a core's
# lags behind, by up to ten seconds if the daemon is stopped too; of the others nothing is lost.
check_deliveries() {
    cat "$round"/meant.* >"$round/meant"
    awk -v round="$round" '
        function expand(list, out,    parts, ends, n, i, site, count) {
            count = 0
            n = split(list, parts, ",")
            for (i = 1; i <= n; i++) {
                split(parts[i], ends, "-")
                for (site = ends[1]; site <= (ends[2] == "" ? ends[1] : ends[2]) + 0; site++) out[++count] = site + 0
            }
            return count
        }
        function fault(text) { print "FAULT: " text; faults++ }
        # Whether the site was dead then, or what it had to say of then may have gone down with it.
        function dying(site, time,    i, lag) {
            lag = kind[site] == "core" ? 10 : 0
            for (i = 1; i <= deaths; i++)
                if ((death_site[i] == site || death_site[i] == "all") && time > death_begin[i] - lag && time < death_end[i] + 0)
                    return 1
            return 0
        }
        FILENAME ~ /notes$/ && $2 == "kind" { kind[$3] = $4 }
        FILENAME ~ /notes$/ && $2 == "disturbed" { disturbed[$3] = 1 }
        FILENAME ~ /notes$/ && $2 == "dead" { death_site[++deaths] = $3; death_begin[deaths] = $1; death_end[deaths] = 1e12 }
        FILENAME ~ /notes$/ && $2 == "alive" {
            for (i = 1; i <= deaths; i++) if (death_site[i] == $3 && death_end[i] == 1e12) death_end[i] = $1
        }
        FILENAME ~ /meant$/ { sends++; n = expand($2, list); for (i = 1; i <= n; i++) meant[$1, list[i]] = 1 }
        FILENAME ~ /ear$/ {
            site = $2 + 0; text = $NF; gsub(/^text:|"/, "", text)
            if (!((text, site) in meant)) fault("site " site " got what was not sent to it: " $0)
            if (heard_packet[site, $4, $6, text]++) fault("twice: " $0)
            heard[text, site]++
            total++
        }
        FILENAME ~ /sent$/ {
            status[$2]++
            text = $3
            said = $0
            sub(/^[^:]*: /, "", said)
            lines = split(said, line, ";")
            reports = ""
            for (l = 1; l <= lines; l++) {
                if (line[l] ~ /^delivered: /) {
                    part = line[l]; sub(/.*sites? /, "", part); sub(/,? settled.*/, "", part)
                    n = expand(part, list)
                    for (i = 1; i <= n; i++) { delivered[text, list[i]]++; when[text, list[i]] = $1; promised++ }
                }
                if (line[l] ~ /^failed: /) {
                    part = line[l]; sub(/.* sites? /, "", part); sub(/:.*/, "", part)
                    n = expand(part, list)
                    for (i = 1; i <= n; i++)
                        if (!disturbed[list[i]] && !disturbed[$5] && kind[list[i]] != "core")
                            fault("site " list[i] " is well, but was given up: " line[l] ": " $0)
                    failures++
                }
                if (line[l] ~ /^unknown: /) unknown++
                if (line[l] !~ /^(accepted|delivered|failed|unknown): / && line[l] != "") reports = reports line[l]
            }
            if ($2 == 0 && said ~ /failed:|unknown:/) fault("status 0, but " $0)
            if ($2 == 0 && said !~ /delivered:/) fault("status 0, but nothing delivered: " $0)
            if ($2 ~ /^(3|4)$/ && said !~ /failed:|refused/) fault("status " $2 " without a reason: " $0)
            if ($2 ~ /^(1|2|5)$/ && reports == "") fault("status " $2 " without a reason: " $0)
            if ($2 !~ /^(0|2|3|4|5|130|137|143)$/) fault("status " $2 ": " $0)
        }
        END {
            for (key in delivered) {
                split(key, name, SUBSEP)
                if (heard[key] < delivered[key] && !dying(name[2], when[key]))
                    fault(sprintf("%s: %d delivered at site %d, as send says, but heard there %d times", name[1],
                                  delivered[key], name[2], heard[key]))
            }
            printf "%d sends, %d deliveries promised, %d heard; packets failed %d, unknown %d; exit statuses",
                   sends, promised, total, failures, unknown
            for (s in status) printf " %s: %d", s, status[s]
            print ""
            exit faults > 0
        }' "$round/notes" "$round/meant" "$round/ear" "$round/sent" || {
        faults=$((faults + 1))
        tail -n 40 "$round/notes"
        echo "see also: $(grep -c 'events lost' "$round/ear.notes") times events lost"
    }
}

play_round() {
    local options=() count names
    round=$directory/round
    rm -rf "$round"
    mkdir "$round"
    touch "$round/sent"
    dead=() workers=() deaf=() full=() ended='' watch_died='' events=0
    pick_nodes
    pick 2
    if [ "$picked" = 0 ]; then options=(--quantum 100); fi
    echo "round $turn: $nodes ${options[*]}"
    note "round $turn"
    pick 5
    if [ "$picked" = 0 ]; then up_killed "${options[@]}"; fi
    expect 0 '^up:' "$postroad" up "$mesh" --name victims --nodes "$nodes" "${options[@]}"
    begin_load
    pick 3
    count=$((2 + picked))
    while [ $count != 0 ] && [ -z "$ended" ]; do
        pause 0 1000
        read -ra names <<<"${VICTIMS:-guest guest tool gdb socket rubbish load daemon}"
        pick_of "${names[@]}"
        "disturb_$picked"
        if [ -z "$ended" ]; then others_live; fi
        count=$((count - 1))
        events=$((events + 1))
    done
    if [ -z "$ended" ] && [ ${#deaf[@]} -gt 0 ]; then let_read; fi
    note "down"
    if [ -z "$ended" ]; then note "dead all"; fi
    if [ "$ended" = TERM ]; then take_down '[01]'; else take_down 0; fi
    end_load
    grep -v ' dead \| alive \| kind \| disturbed ' "$round/notes" | cut -d ' ' -f 2- | paste -sd ';'
    check_deliveries
}

printf '[mesh]\nfabric=cutthrough\ntopology=grid\nsize=3x2\nword_width=16\n' >"$mesh"
echo "SEED=$seed"
RANDOM=$seed
for ((turn = 0; turn < rounds; turn++)); do
    play_round
done
[ $faults = 0 ] && echo "all good"
[ $faults = 0 ]
