#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# SIGINT, SIGTERM and SIGHUP end every verb, whatever it waits for: the other end of a FIFO, a node that does not answer, a reader
# that does not read, a computation that takes hours. The exit status is 130, and nothing that it has begun is left.
# usage: test_signals.sh [VERB...]      default: all of them
# needs: build/tests/host-tools/imitate
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash signals
imitate=build/tests/host-tools/imitate
patience=${EXPECT_SECONDS:-60}     # until a verb is said to hang; an idle machine needs one second
[ -z "${FIRST_FAULT:-}" ] || patience=10

# Nobody ever writes to the one, or closes it; nobody opens the other; the third is full, and nobody reads.
fifo=$directory/never.mesh
mkfifo --mode=600 "$fifo" "$directory/unread" "$directory/full"
ln "$fifo" "$directory/never.ini"
exec 8<>"$fifo" 9<>"$directory/full"
dd if=/dev/zero of="$directory/full" bs=4096 count=1000 oflag=nonblock status=none 2>/dev/null

# What is there to read: a mesh, a testbed, a capture of many edges, an image.
mesh=$directory/pair.mesh testbed=$directory/pair.ini capture=$directory/long.vcd
printf '[mesh]\ntopology=grid\nsize=2x1\n[links]\nboard=yes\n' >"$mesh"
printf '[testbed]\nmesh=pair.mesh\n[board a]\ntype=icebreaker\n[board b]\ntype=icebreaker\n[cables]\na.east=b.west\n' >"$testbed"
{
    printf '$timescale 1 ns $end\n$var wire 1 ! a.east $end\n$enddefinitions $end\n'
    seq -f '#%.0f' 0 40 100000000 | sed -e '1~2s/$/ 1!/' -e '2~2s/$/ 0!/'
} >"$capture"

# Nodes that answer, and some that do not: each serves one client.
for ((number = 0; number < 12; number++)); do
    node_at "$directory/node-$number" -x 2 -y 1
    helpers+=("$node")
    node_at "$directory/mute-$number" -m
    helpers+=("$node")
done
"$imitate" node pty >"$directory/tty" &
helpers+=($!)
await "$directory/tty" /dev/pts
at() { echo "--gateway unix:$directory/node-$1"; }
mute() { echo "--gateway unix:$directory/mute-$1 --timeout 1000"; }

# Meshes whose daemons stand still: few clients can wait there.
for name in still calm; do
    expect 0 "^up:$name" "$postroad" up hw/mesh/grid-4x4.mesh --nodes native --name $name
done
still=$(cat "$directory/postroad-$(id -u)"/{still,calm}/pid)
# shellcheck disable=SC2086  # two numbers
kill -STOP $still

# What each verb waits for, a line a case: VERB ARGUMENTS... Without arguments: nothing, it ends by itself, or becomes gdb.
cases() {
    cat <<END
up $fifo
up $directory/never.ini
up $directory/never.ini --nodes bitstream
down still --timeout 1000
list
map $(at 0) --mesh $fifo
map $(mute 0)
send 1 $(at 1) --data file:$fifo
send 1 $(at 2) --data file:$directory/unread
send 1 $(mute 1)
listen $(at 3)
listen $(mute 2)
listen $(at 4) --pcap $directory/unread
ping all $(mute 3)
bench --from 0 --to 1 $(mute 11)
trace 0 1 --gateway up:still --timeout 1000
trace 0 1 --capture $capture --testbed $fifo
trace 0 1 --capture $capture --testbed $testbed
stats $(mute 4)
stats --watch=1 $(at 5)
links $(mute 5)
top --once $(mute 10)
top --once --interval 1000 $(at 11)
latency $capture --testbed $fifo
latency $capture --testbed $testbed --simulated $fifo
latency $capture --testbed $testbed
latency $capture --testbed $testbed --html $directory/page.html
probe --testbed $fifo $(at 6)
probe $(mute 6)
soak $(mute 7)
group $(mute 9)
tap 0,1 --gateway up:calm
console $(mute 8)
console all --gateway up:still
line tty:$(cat "$directory/tty")
gdb
load 0 $fifo --gateway up:still
load 0 build/firmware/node.elf --gateway up:still --timeout 1000
sign build/firmware/node.elf --key $fifo --number 1
enroll $fifo --output $directory/made.ini
boards $fifo
doctor $fifo
identify $fifo a
flash $directory/never.ini
inspect $fifo
inspect $directory/never.ini
capture $fifo --output $directory/made.sr
compare $fifo
report
sim $fifo
sim hw/mesh/grid-4x4.mesh --packets 1000000000 --quiet --engine functional --csv $directory/result.csv --plot $directory/result
sim $mesh --traffic trace:$fifo
END
}

begin() {
    "$postroad" "$@" <"$fifo" >"$directory/said.${#running[@]}" 2>&1 &
    running+=($!)
    named+=("$*")
    # What computes might be done before the signal comes, so it stands still until then.
    if [[ "$*" == *" $capture --testbed $testbed"* && "$*" != *"$fifo"* ]]; then
        within_time is_begun $!
        sleep 0.05
        kill -STOP $!
    fi
}

# Its output is not read.
begin_full() {
    "$postroad" "$@" >&9 2>/dev/null </dev/null &
    running+=($!)
    named+=("$* >full")
}

is_there() { kill -0 "$1" 2>/dev/null; }
is_gone() { ! is_there "$1"; }

# True if the process has set its signals up, or has ended: before, it is a shell still.
is_begun() {
    local caught
    caught=$(awk '$1 == "SigCgt:" { print "0x" $2 }' "/proc/$1/status" 2>/dev/null)
    [ -z "$caught" ] || [ $((caught & 0x4002)) -eq $((0x4002)) ] || grep -q '^State:.Z' "/proc/$1/status"
}

# end_all SIGNAL[-SIGNAL]: the second one for every other verb
end_all() {
    local i status signal
    for i in "${!running[@]}"; do within_time is_begun "${running[i]}"; done
    sleep 0.3    # they wait or compute
    for i in "${!running[@]}"; do
        if is_gone "${running[i]}"; then
            wait "${running[i]}"
            fault "${named[i]} does not wait: exit status $?: $(tail -n 3 "$directory/said.$i" 2>&1)"
        else
            signal=${1%-*}
            [ $((i % 2)) = 0 ] || signal=${1#*-}
            kill -"$signal" "${running[i]}"
            kill -CONT "${running[i]}" 2>/dev/null
        fi
    done
    for i in "${!running[@]}"; do
        EXPECT_SECONDS=$patience within_time is_gone "${running[i]}" || fault "SIG$1 does not end ${named[i]}"
        kill -KILL "${running[i]}" 2>/dev/null
        wait "${running[i]}" 2>/dev/null
        status=$?
        [ $status = 130 ] || fault "${named[i]}: exit status $status after SIG$1: $(tail -n 3 "$directory/said.$i" 2>&1)"
    done
    if find "$directory" -name '*.new' -o -name 'made*' -o -name page.html | grep .; then fault "SIG$1: files are left"; fi
}

mapfile -t verbs < <(sed -n 's/^VERB(\(.*\))$/\1/p' host-tools/postroad/verbs.def)
[ $# = 0 ] || verbs=("$@")
for verb in "${verbs[@]}"; do
    grep -Eq "^$verb( |$)" <(cases) || fault "no case for the verb $verb"
done
for signal in INT TERM-HUP; do
    running=() named=()
    while read -r verb arguments; do
        [[ " ${verbs[*]} " == *" $verb "* ]] || continue
        # shellcheck disable=SC2086  # words
        if [ -n "$arguments" ]; then begin $verb $arguments; fi
    done < <(cases)
    begin_full list --help
    # shellcheck disable=SC2046  # words
    begin_full map $(at 7)
    begin_full sim "$mesh" --packets 100 --quiet
    # shellcheck disable=SC2046  # words
    begin_full listen 0 --pcap - $(at 8)
    end_all $signal
done
echo "$faults faults"
[ "$faults" = 0 ]
