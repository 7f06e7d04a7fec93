#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What postroad top shows on a terminal (tmux) is right: the map, the rates of a known traffic, a site that is silent; keys do
# what the line of help says, and the terminal is as before at the end, whatever ends it. And --once, for people and for scripts.
# usage: test_top.sh [CHECK...]      default: all of them, see the end
# needs: build/firmware/node.elf build/firmware/node.hex
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash top
unset NO_COLOR

# shellcheck disable=SC2317  # the trap calls it
end() {
    desk kill-server 2>/dev/null
    tidy_up
}
trap end EXIT

# A server of tmux for each: one that has been told to end may still have its socket when the next one begins.
desks=0
desk() { tmux -S "$directory/tmux-$desks" -f /dev/null "$@"; }

# show COLUMNS ROWS ARGUMENT...: postroad top on a terminal of that size.
show() {
    desks=$((desks + 1))
    rm -f "$directory"/{status,before,after}
    {
        echo "stty -g >$directory/before; echo this was here before"
        echo "$postroad top ${*:3}"
        echo "echo \$? >$directory/status; stty -g >$directory/after; sleep 1000"
    } >"$directory/session"
    desk new-session -d -x "$1" -y "$2" "bash $directory/session"
    within_time has '^(q quit|this was)' || fault "nothing is shown: $(page)"
}

hide() { desk kill-server; }
page() { desk capture-pane -p; }
has() { grep -Eq -- "$1" < <(page); }
lacks() { ! has "$1"; }
keys() { desk send-keys "$@"; }

# sees TEXT: it is on the screen, or comes.
sees() { EXPECT_SECONDS=30 within_time has "$1" || fault "nothing like '$1' on the screen: $(page)"; }

# in_seconds TEST SECONDS: since the base line, as the screen says.
in_seconds() {
    local shown
    shown=$(page | sed -n 's/^in \([0-9]*\) s:.*/\1/p')
    [ -n "$shown" ] && test "$shown" "$1" "$2"
}

# The base line is set anew, and time goes on from there.
counts_again() {
    within_time in_seconds -ge 10 || fault "no ten seconds: $(page)"
    keys r
    within_time in_seconds -lt 10 || fault "no new base line: $(page)"
    within_time in_seconds -ge 10 || fault "time stands: $(page)"
}

# The process of the program on the terminal.
shown_process() { pgrep -P "$(desk list-panes -F '#{pane_pid}')" postroad; }

# ended STATUS TEXT: the program ends with it, and the terminal is as before, with TEXT below.
ended() {
    EXPECT_SECONDS=30 within_time test -s "$directory/after" || fault "it does not end: $(page)"
    [ "$(cat "$directory/status")" = "$1" ] || fault "exit status $(cat "$directory/status"), expected $1"
    cmp -s "$directory/before" "$directory/after" || fault "the terminal is not as before: $(diff "$directory"/{before,after})"
    sees '^this was here before$'
    sees "$2"
    if has 'q quit'; then fault "the view is still there: $(page)"; fi
    [ "$(desk display-message -p '#{cursor_flag}')" = 1 ] || fault "the cursor is hidden"
    hide
}

# Ten packets of ten words now and then, over the top row of a 4x4 mesh, until the test ends it. A line each time.
send_on() {
    while $postroad send 15 --from 12 --count 10 --data words:1,2,3,4,5,6,7,8,9,10 --quiet >/dev/null; do
        echo "$EPOCHREALTIME"
        sleep 0.1
    done
}

packets_so_far() { echo $((10 * $(wc -l <"$directory/traffic"))); }

# field SITE COLUMN: of the table of sites on the screen, by its title; beside a map, or below it.
field() {
    page | awk -v site="$1" -v title="$2" '
        !place && match($0, / *site  state/) { start = RSTART + RLENGTH - 11; columns = split(substr($0, start), names)
            for (i = 1; i <= columns; i++) if (names[i] == title) place = i }
        place { if (split(substr($0, start), cells) && cells[1] == site && cells[2] ~ /^[a-z]/) { print cells[place]; exit } }'
}

is_within() { awk -v got="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(got != "" && got >= low && got <= high) }'; }

# The rates of a traffic that goes on, on screens of all sizes.
check_sizes() {
    local size before began rate shown
    expect 0 '^up:top$' $postroad up hw/mesh/grid-4x4.mesh --nodes native --quiet --name top
    send_on >"$directory/traffic" &
    helpers+=($!)
    for size in '40 20' '80 24' '160 50' '200 60'; do
        # shellcheck disable=SC2086  # two numbers
        show $size --interval 2
        sees '^ ?12 [-0-9]-[-0-9] 13 [-0-9]-[-0-9] 14 [-0-9]-[-0-9] 15'
        sees '^ ?0 [-0-9]-[-0-9]  1 '
        sees '12 9-[1-9] 13 9-[1-9] 14 9-[1-9] 15'
        keys s
        sees 's sort:sent'
        before=$(packets_so_far) began=$EPOCHREALTIME shown=''
        for _ in 1 2 3; do
            sleep 2
            shown+=" $(field 12 sent/s)"
        done
        rate=$(awk -v n=$(($(packets_so_far) - before)) -v from="$began" -v to="$EPOCHREALTIME" 'BEGIN { print n / (to - from) }')
        shown=$(awk '{ for (i = 1; i <= NF; i++) sum += $i; print NF == 3 ? sum / NF : "nothing" }' <<<"$shown")
        is_within "$shown" "$(awk "BEGIN { print $rate * 0.6 }")" "$(awk "BEGIN { print $rate * 1.5 }")" ||
            fault "$size: $shown packets a second are shown, $rate are sent: $(page)"
        if page | awk -v most="${size% *}" 'length > most { print }' | grep .; then fault "$size: too wide"; fi
        keys q
        ended 0 ''
    done
    kill "${helpers[@]}"
    helpers=()
    expect 0 '' $postroad down
}

# What exactly so many packets add, and no more: the requests of the verb are left out.
check_counts() {
    local found
    expect 0 '^up:top$' $postroad up hw/mesh/grid-4x4.mesh --nodes native --quiet --name top
    $postroad top --once --interval 6 --json --quiet >"$directory/once" &
    sleep 2
    expect 0 'delivered' $postroad send 13 --from 12 --count 50 --data words:1,2,3,4,5,6,7,8,9,10
    wait $! || fault "exit status $? of top --once"
    found=$(jq -c '[(.sites[] | select(.site == 12) | .sent_packets), (.sites[] | select(.site == 13) | .delivered),
        (.links[] | select(.site == 12 and .output == "east") | .words),
        ([.sites[] | select(.site != 12 and .site != 13) | .delivered] | add)]' "$directory/once")
    jq -e '.[0] >= 50 and .[0] <= 54 and .[1] >= 50 and .[1] <= 52 and .[2] >= 740 and .[2] <= 790 and .[3] <= 12' \
        <<<"$found" >/dev/null || fault "50 packets of 15 words each are $found: sent, delivered, words, delivered elsewhere"
    jq -e '(.sites | length) == 16 and ([.sites[] | select(.site > 0) | .round_trip_clocks.min > 0] | all) and
        .own_packets > 300 and .own_packets < 500' "$directory/once" >/dev/null || fault "once: $(jq -c . "$directory/once")"
    $postroad top --once --interval 2 --json --quiet >"$directory/once"
    found=$(jq -c '[([.sites[].sent_packets] | add), ([.links[].words] | add)]' "$directory/once")
    jq -e '.[0] < 40 and .[1] < 400' <<<"$found" >/dev/null || fault "an idle mesh sends $found: packets, words"
    expect 0 '12 --- 13 --- 14 --- 15' $postroad top --once --interval 0.5
    expect 0 '^3/3 answer' $postroad top --once --interval 0.5 1-3
    expect 0 '' $postroad down
}

# shows_idle: the verb does, and it has asked. Sites that have just started tell each other so.
shows_idle() {
    $postroad top --once --interval 2 --json --quiet >"$directory/once"
    found=$(jq -c '[.own_packets, ([.sites[].sent_packets] | add), ([.links[].words] | add)]' "$directory/once")
    jq -e '.[0] > 100 and .[1] < 10 and .[2] == 0' <<<"$found" >/dev/null
}

# On other fabrics a link carries more than the words of a packet, or packets go other ways: an idle mesh shows none there, too.
check_fabrics() {
    local mesh found
    for mesh in wormlan-lan csr-hypercube-4 postman-4x4; do
        expect 0 '^up:top$' $postroad up hw/mesh/$mesh.mesh --nodes native --quiet --name top
        EXPECT_SECONDS=30 within_time shows_idle || fault "an idle $mesh shows $found: packets of the verb, of others, words"
        expect 0 '' $postroad down
    done
}

# A site that does not answer is shown as such, and the view goes on.
check_silent() {
    expect 0 '^up:top$' $postroad up hw/mesh/grid-4x4.mesh --nodes native --quiet --name top --fault stop:5:10
    show 80 24 --interval 1 --timeout 4
    sees '^15/16 answer'
    sees ' xx \?-'
    sees ' 5  silent'
    sees '^ ?12 [-0-9]'
    counts_again
    keys q
    ended 0 ''
    expect 4 ' 5  silent' $postroad top --once --interval 0.5 --timeout 4
    expect 4 '"state":[[:space:]]*"silent"' $postroad top --once --interval 0.5 --timeout 4 --json
    expect 5 ' 5  silent' $postroad top 5 --once --interval 0.5 --timeout 4
    expect 0 '' $postroad down
}

check_keys() {
    local word before needed
    expect 0 '^up:top$' $postroad up hw/mesh/grid-4x4.mesh --nodes native --quiet --name top
    show 80 24 --interval 1
    sees 's sort:trouble'
    for word in sent delivered words latency site trouble; do
        keys s
        sees "s sort:$word"
    done
    keys s s s s s
    sees 's sort:site'
    keys Down Down Down z
    sees 'site 2: ok'
    sees '2  east     3'
    keys Up
    sees 'site 1: ok'
    keys z
    sees 'site  state'
    keys p
    sees 'PAUSED'
    sleep 1
    before=$(page)
    sleep 3
    [ "$before" = "$(page)" ] || fault "a paused view moves: $before $(page)"
    keys p
    EXPECT_SECONDS=10 within_time lacks PAUSED || fault "it stays paused"
    sees '^in ([5-9]|[0-9]{2,}) s:'
    keys r
    sees '^in [0-2] s:'
    desk resize-window -x 40 -y 20
    sees '^ 0 [-0-9]-[-0-9]  1 '
    sees '^up/down site'
    sees '^site  state'
    sees '^1[0-9] more'
    desk resize-window -x 40 -y 12
    sees '^the map needs [0-9]+ columns, [0-9]+ rows'
    sees '^ +1  ok'
    needed=$(page | sed -n 's/^the map needs 24 columns, \([0-9]*\) rows.*/\1/p')
    desk resize-window -x 40 -y "$((needed - 1))"
    sees "^the map needs 24 columns, $needed rows"
    desk resize-window -x 40 -y "$needed"
    sees '^ 0 [-0-9]-[-0-9]  1 '
    desk resize-window -x 40 -y 20
    keys l
    sees 'l sites'
    EXPECT_SECONDS=10 within_time lacks '^site  state' || fault "the sites are still there: $(page)"
    desk resize-window -x 160 -y 50
    sees 'site  state .*least ping'
    keys q
    ended 0 ''
    expect 0 '' $postroad down
}

# Whatever ends it, the terminal is as before.
check_ends() {
    local signal
    expect 0 '^up:top$' $postroad up hw/mesh/grid-4x4.mesh --nodes native --quiet --name top
    for signal in INT TERM HUP; do
        show 80 24 --interval 1
        sees '^16/16 answer'
        kill -$signal "$(shown_process)"
        ended 130 ''
    done
    show 80 24
    sees '^16/16 answer'
    keys C-c
    ended 130 ''
    show 80 24 --interval 1
    sees '^16/16 answer'
    kill -KILL "$(cat "$directory/postroad-$(id -u)/top/pid")"
    ended 2 'postroad top: lost the connection to up:top'
    show 80 24
    ended 2 'no gateway: the daemon of up:top has died'
}

check_refusals() {
    expect 1 'no terminal to draw on: expected --once' $postroad top
    expect 1 'expected --once' $postroad top --json
    show 80 24 --json
    ended 1 '^postroad top: --json has no live view: expected --once$'
    expect 1 'interval' $postroad top --once --interval 0
    expect 2 'no gateway' $postroad top --once
}

# The same on cores.
check_cores() {
    expect 0 '^up:top$' $postroad up hw/mesh/grid-2x2.mesh --quiet --name top
    expect 0 '^4/4 answer' $postroad top --once --interval 1
    expect 0 '' $postroad down
}

[ $# -gt 0 ] || set -- sizes counts fabrics silent keys ends refusals cores
run_checks "$@"
