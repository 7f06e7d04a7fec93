#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad tap`: unmodified programs (ping, socat) in network namespaces, over a mesh. Who has joined a group gets what is sent
# meanwhile, whole, and nobody else gets anything; garbage, floods and kills stop nothing and leave nothing. With LONG=1 also
# silence, meshes that lose words, sites on cores and under QEMU, and start and stop often.
# The test has a /run of its own, so no name of the machine is touched, and whatever ends it takes its namespaces along.
# usage: test_tap.sh [CHECK...]      default: all of them, see the end; `hour` takes one, or TAP_SECONDS
# needs: build/tests/host-tools/imitate
# time limit: 3600 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
if [ "$(id -u)" = 0 ] && [ -z "${TAP_TEST_APART:-}" ] && unshare --mount true 2>/dev/null; then
    # shellcheck disable=SC2016  # the inner shell's arguments
    TAP_TEST_APART=1 exec unshare --mount --propagation private \
        bash -c 'mount -t tmpfs -o mode=755 none /run && exec "$0" "$@"' tests/host-tools/test_tap.sh "$@"
fi

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash tap
long=${LONG:-}
seed=${SEED:-1}
tap=

# in_site SITE COMMAND...
in_site() { ip netns exec "site-$1" "${@:2}"; }

up() { expect 0 '^up:' "$postroad" up "hw/mesh/${1:-grid-4x4}.mesh" --nodes "${2:-native}" --name tapped "${@:3}"; }

# begin SITES OPTION...: a tap that is ready; its process is $tap, what it says is in $directory/tap.
begin() {
    start "$directory/tap" "$postroad" tap "$1" --json --verbose "${@:2}"
    tap=${helpers[-1]}
    await "$directory/tap" '"ready"'
}

# end SIGNAL STATUS: nothing is left.
end() {
    kill "-$1" "$tap" 2>/dev/null
    ended "$2"
}

ended() {
    local status
    wait "$tap"
    status=$?
    [ $status = "$1" ] || fault "tap has ended with the exit status $status, expected $1: $(tail -n 2 "$directory/tap")"
    nothing_left
}

nothing_left() {
    [ -z "$(ls /run/netns)" ] || fault "left namespaces: $(ls /run/netns)"
    [ -z "$(ls /run/postroad-tap)" ] || fault "left records: $(ls /run/postroad-tap)"
}

# counted SITE COUNTER: of the tap that has ended.
counted() {
    grep '"kind":"end"' "$directory/tap" | jq -r ".sites[] | select(.site == $1).$2"
}

# pings FROM ADDRESS OPTION...: three pings are answered, however long that takes on a busy machine; that nothing was lost is in
# the tap's counters.
pings() {
    expect 0 ' [3-9] received' ip netns exec "site-$1" ping -q -c 3 -w 60 -i 0.1 "${@:3}" "$2"
}

check_ping() {
    up
    begin 0,5,15
    pings 0 10.1.0.5
    pings 15 10.1.0.0 -s 1472 -M 'do'
    pings 5 10.1.0.15 -s 9000
    within_time in_site 5 ping -q -c 1 -W 5 fd00::1:f >/dev/null # a neighbour counts as not there after three seconds
    pings 5 fd00::1:f -s 3000
    pings 0 fe80::70:72ff:fe00:5%mesh0
    expect 1 '100% packet loss' ip netns exec site-0 ping -q -c 1 -W 1 10.1.0.6
    expect 0 '2 packets.* 2 received|duplicates' ip netns exec site-0 ping -q -c 2 -i 0.1 -W 1 ff02::1%mesh0
    # An operator that stands still refuses what does not fit its window, and takes it later.
    said=$(echo hold 3000000 | "$postroad" console 0 --quiet 2>&1) || fault "hold: $said"
    pings 0 10.1.0.5 -s 3000
    [ "$(in_site 5 ip -o link | wc -l)" = 2 ] || fault "other interfaces: $(in_site 5 ip -o link)"
    grep -q default <(in_site 5 ip route) && fault "there is a way out: $(in_site 5 ip route)"
    end INT 130
    [ "$(counted 0 refused)$(counted 5 incomplete)$(counted 15 bad_packets)" = 000 ] || fault "$(tail -n 1 "$directory/tap")"
    expect 0 '' "$postroad" down
}

# so_often NUMBER TEXT: the tap has said so.
so_often() { [ "$(grep -c -- "$2" "$directory/tap")" = "$1" ]; }

# says_again TEXT COMMAND...: runs it, and waits until the tap has said the text once more.
says_again() {
    local before
    before=$(grep -c -- "$1" "$directory/tap")
    "${@:2}"
    within_time so_often $((before + 1)) "$1" || fault "the tap does not say '$1' again: $(tail -n 3 "$directory/tap")"
}

# receivers SITE: programs there that have port 5000.
receivers() { ip netns exec "site-$1" cat /proc/net/udp /proc/net/udp6 | grep -c ':1388 '; }

hears() { [ "$(receivers "$1")" -ge "$2" ]; }

# receive SITE ADDRESS FILE: lines that are sent to a multicast address, from now on. socat joins before it has the port.
receive() {
    local before
    before=$(receivers "$1")
    local receiver=UDP4-RECV:5000,ip-add-membership=$2:mesh0,reuseaddr
    [[ $2 != *:* ]] || receiver=UDP6-RECV:5000,ipv6-join-group=[$2]:mesh0,reuseaddr
    says_again "site-$1 joins $2," start "$directory/receiver" ip netns exec "site-$1" socat -u "$receiver" "OPEN:$3,creat,append"
    within_time hears "$1" $((before + 1)) || fault "the receiver at site $1 has no port: $(cat "$directory/receiver")"
    receiver_process=${helpers[-1]}
}

# leave SITE ADDRESS PROCESS: what that receives. It is no helper any more, and not waited for: in an hour the numbers of
# processes come again, and would be killed at the end as another one's.
leave() {
    local helper others=()
    says_again "site-$1 leaves $2," kill "$3"
    for helper in "${helpers[@]}"; do
        [ "$helper" = "$3" ] || others+=("$helper")
    done
    helpers=("${others[@]}")
}

# watch SITE: the data of all multicast frames that come, beside those of neighbours, in $directory/watched.
watch() {
    : >"$directory/watched"
    start "$directory/watching" ip netns exec "site-$1" python3 "$PWD/tests/host-tools/tap_programs.py" watch "$directory/watched"
    await "$directory/watching" ready
}

# sends FROM ADDRESS FIRST LAST: numbered lines, 4 ms apart; mostly a datagram each.
sends() {
    local target=UDP4-DATAGRAM:$2:5000,ip-multicast-ttl=2 number
    [[ $2 != *:* ]] || target=UDP6-DATAGRAM:[$2]:5000
    for ((number = $3; number <= $4; number++)); do
        printf 'line %d %0*d\n' "$number" $((number * 37 % 900 + 1)) 0
        sleep 0.004
    done | tee -a "$directory/sent" | in_site "$1" socat -u -b 1400 - "$target"
}

has_last() { grep -q "^line $2 " <(tail -n 1 "$1" 2>/dev/null); }

# Who has joined gets every line, byte by byte, while others join and leave; who has not gets no frame at all.
multicast_to() {
    local address=$1 early late
    rm -f "$directory/sent" "$directory"/got-*
    receive 5 "$address" "$directory/got-5"
    early=$receiver_process
    sends 0 "$address" 1 40
    within_time has_last "$directory/got-5" 40 || fault "$address: site 5 has no line 40"
    [ ! -s "$directory/watched" ] || fault "$address: frames have come to site 15, which has joined nothing"
    receive 15 "$address" "$directory/got-15"
    late=$receiver_process
    sends 0 "$address" 41 80
    within_time has_last "$directory/got-15" 80 || fault "$address: site 15 has no line 80"
    leave 15 "$address" "$late"
    sends 0 "$address" 81 100
    within_time has_last "$directory/got-5" 100 || fault "$address: site 5 has no line 100"
    receive 15 "$address" "$directory/got-15"
    late=$receiver_process
    sends 0 "$address" 101 120
    within_time has_last "$directory/got-15" 120 || fault "$address: site 15 has no line 120"
    within_time has_last "$directory/got-5" 120 || fault "$address: site 5 has no line 120"
    cmp "$directory/sent" "$directory/got-5" || fault "$address: site 5 has not got what was sent"
    cmp <(grep -E '^line (4[1-9]|[5-7].|80|10[1-9]|11.|120) ' "$directory/sent") "$directory/got-15" ||
        fault "$address: site 15 has not got what was sent while it had joined"
    within_time cmp -s "$directory/watched" "$directory/got-15" || fault "$address: other frames have come to site 15, too"
    leave 15 "$address" "$late"
    : >"$directory/watched"
    # An address of the same group of the mesh.
    receive 15 "$2" "$directory/alias"
    sends 0 "$address" 121 125
    within_time has_last "$directory/got-5" 125 || fault "$address: site 5 has no line 125"
    pings 0 10.1.0.15
    [ ! -s "$directory/watched" ] || fault "a frame to $address has come to site 15, which has joined $2"
    leave 15 "$2" "$receiver_process"
    leave 5 "$address" "$early"
}

check_multicast() {
    up
    begin 0,5,10,15
    watch 15
    multicast_to 239.1.2.3 239.9.9.3
    multicast_to ff05::1:3 ff08::203
    end INT 130
    [ "$(counted 15 unwanted)" -ge 2 ] || fault "site 15 has counted $(counted 15 unwanted) unwanted frames"
    [ "$(counted 10 unwanted)$(counted 15 bad_reports)$(counted 5 bad_reports)" = 000 ] || fault "$(tail -n 1 "$directory/tap")"
    expect 0 '' "$postroad" down
}

has_lines() { [ "$(wc -l <"$1")" = "$2" ]; }

# one_order UP-OPTION...: two sites send at the same time through a group of the operators, and two others get it in one order.
one_order() {
    local address=239.1.2.3 program=$PWD/tests/host-tools/tap_programs.py
    rm -f "$directory"/got-*
    expect 0 '^up:' "$postroad" up "$@" --name tapped
    expect 3 'site 0 is no member of group 9: postroad group SITES --join 9' "$postroad" tap 0-3 --group 9
    expect 0 '' "$postroad" group 0-3 --join 9 --quiet
    begin 0-3 --group 9
    receive 2 $address "$directory/got-2"
    receive 3 $address "$directory/got-3"
    in_site 0 python3 "$program" tell $address 1 40 >"$directory/sent-0" &
    in_site 1 python3 "$program" tell $address 41 80 >"$directory/sent-1"
    wait $!
    within_time has_lines "$directory/got-2" 80 || fault "site 2 has $(wc -l <"$directory/got-2") lines of 80"
    within_time has_lines "$directory/got-3" 80 || fault "site 3 has $(wc -l <"$directory/got-3") lines of 80"
    cmp "$directory/got-2" "$directory/got-3" || fault "sites 2 and 3 have another order"
    cmp <(sort "$directory"/sent-*) <(sort "$directory/got-2") || fault "site 2 has not got what was sent"
    pings 3 10.1.0.0
    end INT 130
    { has_lines "$directory/got-2" 80 && has_lines "$directory/got-3" 80; } || tail -n 1 "$directory/tap" # where they went
    # Who has not joined has dropped what the other one has sent, and nothing of its own.
    [ "$(counted 0 refused) $(counted 1 refused) $(counted 0 unwanted) $(counted 1 unwanted)" = '0 0 40 40' ] ||
        fault "$(tail -n 1 "$directory/tap")"
    expect 0 '' "$postroad" down
}

check_order() {
    one_order hw/mesh/grid-2x2.mesh --nodes native
    [ -n "$long" ] || return 0
    sed 's/^ram_bytes = .*/ram_bytes = 131072/; s/^size *=.*/size = 2x2/' hw/mesh/grid-4x4.mesh >"$directory/large.mesh"
    one_order "$directory/large.mesh" --nodes qemu --firmware build/firmware/group_node.elf
}

# With the seed printed; what is dropped is counted, and the others do not notice.
check_hostile() {
    local program=$PWD/tests/host-tools/tap_programs.py
    echo "seed $seed"
    up
    begin 0,5,15
    in_site 0 python3 "$program" hostile "$seed" "${long:+2}1000" &
    in_site 15 python3 "$program" hostile $((seed + 1)) 300
    wait $!
    in_site 0 ip link set mesh0 mtu 9000
    in_site 0 python3 "$program" big
    expect 0 '' "$postroad" send 5 --from 0 --handler 249 --data hex:74000001003c000001020304 --quiet
    expect 0 '' "$postroad" send 5 --from 7 --handler 249 --data hex:74000001003c000001020304 --quiet
    expect 0 '' "$postroad" send 5 --from 0 --handler 249 --data hex:00 --quiet
    within_time in_site 0 ping -q -c 1 -W 1 10.1.0.15 >/dev/null    # what waits in queues is through
    pings 15 10.1.0.5
    pings 0 fd00::1:5
    end INT 130
    [ "$(counted 0 bad_frames)" -gt 100 ] || fault "$(counted 0 bad_frames) bad frames of site 0 are counted"
    [ "$(counted 0 oversize)" -ge 3 ] || fault "$(counted 0 oversize) frames of site 0 are counted as too long"
    [ "$(counted 5 bad_packets)" -ge 2 ] || fault "$(counted 5 bad_packets) bad packets of site 5 are counted"
    expect 0 '' "$postroad" down
}

# Who floods loses frames of its own, and all of them are counted; the others go on meanwhile.
check_flood() {
    local flood from lost
    up
    begin 0,5,10,15
    pings 0 10.1.0.5    # it knows its neighbour, or most would stay in the namespace
    in_site 0 python3 "$PWD/tests/host-tools/tap_programs.py" flood 3000 &
    flood=$!
    pings 10 10.1.0.15
    wait $flood
    within_time in_site 0 ping -q -c 1 -W 1 10.1.0.15 >/dev/null
    pings 0 10.1.0.15
    end INT 130
    from=$(counted 0 from_namespace) lost=$(counted 0 queue_full)
    [ "$lost" -gt 100 ] || fault "$lost frames of the flood are counted as lost, of $from"
    [ "$(counted 10 queue_full)" = 0 ] || fault "site 10 has lost frames, too"
    [ "$(counted 5 incomplete)" = 0 ] || fault "site 5 has got half a frame"
    expect 0 '' "$postroad" down
}

# Names and sites that are in use are refused, and stay as they are; other sites have a tap of their own.
check_refusals() {
    local first
    up
    begin 0,5
    first=$tap
    expect 2 'there is a namespace site-0: expected another --namespace, or .ip netns delete site-0.' "$postroad" tap 0,3
    expect 2 'site 5 has a tap, whose namespace is site-5' "$postroad" tap 3,5 --namespace other
    [ "$(ls /run/netns | tr '\n' ' ')" = 'site-0 site-5 ' ] || fault "namespaces: $(ls /run/netns)"
    start "$directory/second" "$postroad" tap 3,7 --namespace other --json
    await "$directory/second" '"ready"'
    expect 0 ' [2-9] received' ip netns exec other-3 ping -q -c 2 -w 60 -i 0.1 10.1.0.7
    expect 1 '' ip netns exec other-3 ping -q -c 1 -W 1 10.1.0.5    # two networks
    pings 0 10.1.0.5
    kill -TERM "${helpers[-1]}"
    wait "${helpers[-1]}"
    pings 0 10.1.0.5
    tap=$first
    end TERM 130
    ip netns add site-5
    expect 2 'there is a namespace site-5' "$postroad" tap 0,5
    [ "$(ls /run/netns)" = site-5 ] || fault "after a refusal: $(ls /run/netns)"
    ip netns delete site-5
    for name in '' ../x -x .x a/b "$(printf '%060d' 0)" 'a b'; do
        expect 1 'namespace.*expected letters' "$postroad" tap 0,5 --namespace "$name"
    done
    expect 1 'expected a mesh that is up' "$postroad" tap 0,5 --gateway "unix:$directory/x"
    expect 1 '99' "$postroad" tap 0,99
    expect 2 'expected root with the capabilities' setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$postroad" tap 0,5
    chmod 777 /run/postroad-tap
    expect 2 '/run/postroad-tap is a directory .* mode 0777, expected' "$postroad" tap 0,5
    chmod 700 /run/postroad-tap
    chown 65534 /run/netns
    expect 2 '/run/netns is a directory of user 65534' "$postroad" tap 0,5
    chown 0 /run/netns
    nothing_left
    expect 0 '' "$postroad" down
}

# Nothing is left by any end; what a kill leaves goes with the next start, unless it is another one's by now.
check_ends() {
    up
    begin 0,5 --timeout 0.5
    ended 0
    begin 0,5
    end HUP 130
    begin 0,5
    kill -KILL "$tap"
    wait "$tap" 2>/dev/null
    [ "$(ls /run/netns | tr '\n' ' ')" = 'site-0 site-5 ' ] || fault "a kill has left $(ls /run/netns), expected both names"
    ip netns delete site-5
    ip netns add site-5
    expect 2 'there is a namespace site-5' "$postroad" tap 3,5
    [ "$(ls /run/netns)" = site-5 ] || fault "after a kill: $(ls /run/netns), expected the foreign site-5"
    ip netns delete site-5
    begin 0,5
    pings 0 10.1.0.5
    # An interface that is taken away is one less.
    in_site 5 ip link set mesh0 down
    expect 1 '100% packet loss' ip netns exec site-0 ping -q -c 1 -W 1 10.1.0.5
    in_site 5 ip link set mesh0 up
    pings 0 10.1.0.5
    in_site 5 ip link delete mesh0
    await "$directory/tap" 'namespace site-5: the interface mesh0 is gone'
    rests 20 processor_ticks "$tap"
    expect 0 '' "$postroad" down
    ended 2
    expect 2 'no mesh is up' "$postroad" tap 0,5
}

# The README's example, as it stands there.
check_readme() {
    local commands
    commands=$(awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' host-tools/tap/README.md)
    timeout 60 bash -e <<<"$commands" >"$directory/example" 2>&1 ||
        fault "the example in host-tools/tap/README.md: $(cat "$directory/example")"
    said=$(cat "$directory/example")
    grep -q ' 0% packet loss' <<<"$said" || fault "no ping in the example: $said"
    [ "$(grep -c '^hello everybody' <<<"$said")" = 2 ] || fault "the example has no two receivers: $said"
    nothing_left
}

check_not_root() {
    local place
    place=$(mktemp -d /tmp/postroad-tap.XXXXXX)
    chown 65534 "$place"
    local as_other=(setpriv --reuid=65534 --regid=65534 --clear-groups env "XDG_RUNTIME_DIR=$place" "$postroad")
    if "${as_other[@]}" up hw/mesh/grid-4x4.mesh --nodes native >/dev/null 2>&1; then
        expect 2 '^postroad tap: network namespaces and TAP devices need root, and a mesh that root has started$' \
            "${as_other[@]}" tap 0,5
        expect 0 '' "${as_other[@]}" down
    else
        echo "left out: another user than root, who cannot use this tree"
    fi
    rm -rf "$place"
}

# Queries and reports go on, nothing is forgotten, nothing is busy.
check_silence() {
    up
    begin 0,5,15
    receive 5 239.1.2.3 "$directory/got-5"
    rests 20 processor_ticks "$tap"
    sleep 30
    pings 0 10.1.0.5
    pings 5 fd00::1:f
    sleep 270    # two queries: who has joined still is a member
    sends 15 239.1.2.3 1 3
    within_time has_last "$directory/got-5" 3 || fault "site 5 has lost its membership"
    pings 0 10.1.0.5
    end INT 130
    expect 0 '' "$postroad" down
}

# over NODES MESH SITES UP-OPTION...: ping and multicast over other meshes, some of which take seconds for a packet on a busy
# machine: longer than a kernel asks for its neighbours.
over() {
    local sites=${3//,/ } first last EXPECT_SECONDS=300
    read -r first last <<<"$sites"
    up "$2" "$1" "${@:4}"
    begin "$3"
    in_site "$last" sh -c 'echo 30000 >/proc/sys/net/ipv6/neigh/mesh0/retrans_time_ms'
    within_time ip netns exec "site-$first" ping -q -c 1 -W 50 -s 50 "10.1.0.$last" >/dev/null || fault "$2 of $1: no ping"
    within_time ip netns exec "site-$last" ping -q -c 1 -W 50 -s 300 "fd00::1:$(printf '%x' "$first")" >/dev/null ||
        fault "$2 of $1: no ping of IPv6"
    rm -f "$directory/sent" "$directory/got"
    receive "$last" 239.1.2.3 "$directory/got"
    sends "$first" 239.1.2.3 1 6
    within_time has_last "$directory/got" 6 || fault "$2 of $1: no line 6"
    cmp "$directory/sent" "$directory/got" || fault "$2 of $1: not what was sent"
    leave "$last" 239.1.2.3 "$receiver_process"
    end INT 130
    expect 0 '' "$postroad" down
}

check_sites() {
    over core grid-2x2 0,3
    over qemu grid-2x2 0,3
    over qemu:0-1,native:2-3 grid-2x2 1,2
}

check_faults() {
    over native grid-4x4 0,5 --fault link:1.east:100000:500000
    over native grid-4x4 0,15 --reliable 0
    over native grid-4x4 0,15 --engine functional
}

check_often() {
    local round
    up
    for ((round = 0; round < 50; round++)); do
        begin all
        [ $((round % 5)) != 0 ] || pings 3 10.1.0.12
        if [ $((round % 3)) = 0 ]; then
            kill -KILL "$tap"
            wait "$tap" 2>/dev/null
        else
            end INT 130
        fi
    done
    begin 0
    end INT 130
    expect 0 '' "$postroad" down
}

# kilobytes PROCESS: of memory that it has.
kilobytes() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }

# Multicasts and pings for TAP_SECONDS, while a site joins and leaves: nothing is lost, and neither the tap nor the daemon of the
# mesh, which the second tenth of that time has found at their size, grows.
check_hour() {
    local address=239.1.2.3 total=${TAP_SECONDS:-3600} began=$SECONDS next=1 process sizes=() daemon steady
    up
    daemon=$(pgrep -n -f "^$postroad up .*--name tapped")
    begin 0,5,10,15
    receive 5 $address "$directory/got-5"
    steady=$receiver_process
    while [ $((SECONDS - began)) -lt "$total" ]; do
        receive 15 $address "$directory/got-15"
        sends 0 $address $next $((next + 39))
        next=$((next + 40))
        within_time has_last "$directory/got-5" $((next - 1)) || fault "site 5 has no line $((next - 1))"
        within_time has_last "$directory/got-15" $((next - 1)) || fault "site 15 has no line $((next - 1))"
        leave 15 $address "$receiver_process"
        pings 10 10.1.0.5 -s 3000
        [ -n "${sizes[*]}" ] || [ $((SECONDS - began)) -lt $((total / 5)) ] ||
            sizes=("$(kilobytes "$tap")" "$(kilobytes "$daemon")")
    done
    cmp "$directory/sent" "$directory/got-5" || fault "site 5 has not got what was sent"
    cmp "$directory/sent" "$directory/got-15" || fault "site 15 has not got what was sent"
    for process in "$tap" "$daemon"; do
        echo "process $process: $(kilobytes "$process") KB, ${sizes[0]} behind a fifth of the time, $((next - 1)) multicasts"
        [ "$(kilobytes "$process")" -le $((sizes[0] * 102 / 100 + 64)) ] || fault "process $process grows"
        sizes=("${sizes[@]:1}")
    done
    leave 5 $address "$steady"
    end INT 130
    [ "$(counted 5 incomplete)$(counted 15 incomplete)$(counted 0 refused)" = 000 ] || fault "$(tail -n 1 "$directory/tap")"
    expect 0 '' "$postroad" down
}

if [ "$(id -u)" != 0 ]; then
    echo "left out: all but the refusal, since namespaces and TAP devices need root"
    up
    expect 2 '^postroad tap: network namespaces and TAP devices need root' "$postroad" tap 0,5
    run_checks
    exit
fi
if ! unshare --net true 2>/dev/null || [ ! -c /dev/net/tun ]; then
    echo "left out: all of it, since this root can make no network namespace, or there is no /dev/net/tun"
    exit 0
fi
if [ $# -gt 0 ]; then
    run_checks "$@"
else
    # shellcheck disable=SC2046  # words
    TAP_SECONDS=60 run_checks ping multicast order hostile flood refusals ends readme not_root \
        $([ -z "$long" ] || echo silence sites faults often hour)
fi
