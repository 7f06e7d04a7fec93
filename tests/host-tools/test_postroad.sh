#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The verbs as a user types them: against a simulated mesh at both levels, against a fake node with faults, and against
# a daemon that is killed.
# needs: build/tests/host-tools/imitate
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash verbs
imitate=build/tests/host-tools/imitate

check_usage() {
    expect 0 '' env POSIXLY_CORRECT=1 $postroad sim hw/mesh/grid-4x4.mesh --engine functional --packets 10 --quiet
    expect 0 'Usage: postroad VERB' $postroad --help
    expect 0 '^postroad [0-9]' $postroad --version
    expect 1 "^postroad: 'frobnicate' is not a verb .postroad --help lists them.\$" $postroad frobnicate
    expect 1 "^postroad: 'staus' is not a verb; did you mean stats\?\$" $postroad staus
    expect 1 'no such option; did you mean --timeout\?$' $postroad map --tiemout 3
    expect 1 'no such option; did you mean --count\?$' $postroad ping 3 --cuont=3
    expect 1 'no such option' $postroad map --frobnicate
    expect 1 'expected FILE.mesh' $postroad up
    expect 1 'expected ENDPOINT' $postroad map --gateway
    expect 1 'expected seconds' $postroad map --timeout soon
    expect 1 'options only' $postroad map extra
    expect 1 'expected up:NAME' $postroad map --gateway nonsense
    expect 2 'no mesh is up' $postroad map
    expect 2 'no mesh is up in' $postroad map --gateway up:nowhere
    expect 2 'cannot connect' $postroad map --gateway "unix:$directory/nothing"
    expect 2 'not a serial line' $postroad map --gateway tty:/dev/null
    expect 1 'expected a rate from 1200' $postroad map --gateway tty:/dev/null@12
    expect 1 'no mesh' $postroad down
    expect 1 'No such file' $postroad up "$directory/none.mesh"
    expect 1 'without slashes' $postroad up hw/mesh/grid-4x4.mesh --name a/b
    expect 1 'at most 63' $postroad up hw/mesh/grid-4x4.mesh --name "$(printf 'x%.0s' {1..64})"
    printf '[mesh]\nsize=4x4\nfrobnicate=1\n' >"$directory/bad.mesh"
    expect 1 'bad.mesh:3' $postroad up "$directory/bad.mesh"
    expect 1 'reliable 2: expected a number from 0 to 1' $postroad up hw/mesh/grid-4x4.mesh --reliable 2
    expect 1 'window 33: expected a number from 1 to 32' $postroad up hw/mesh/grid-4x4.mesh --window 33
    expect 1 '^postroad up: --set mesh.size=4: size is 4, expected' $postroad up hw/mesh/grid-4x4.mesh --set mesh.size=4
    expect 1 'set: of a simulated mesh, not of boards' $postroad up tty:/dev/ttyS0 --set mesh.size=4x4
    expect 0 '^up:set' $postroad up hw/mesh/grid-4x4.mesh --nodes native --name set --set mesh.size=3x1 --quiet
    expect 0 'grid 3x1' $postroad map --gateway up:set
    expect 0 '' $postroad down --name set
    expect 1 'window: not with core nodes' $postroad up hw/mesh/grid-4x4.mesh --window 4
    expect 1 'fault reset:16:100: .*expected' $postroad up hw/mesh/grid-4x4.mesh --fault reset:16:100
    expect 1 'fault : ' $postroad up hw/mesh/grid-4x4.mesh --fault reset:1:5 --fault ''
    expect 1 'reset:1:5: only with the reliable service' $postroad up hw/mesh/grid-4x4.mesh --fault reset:1:5 --reliable 0
    # shellcheck disable=SC2046  # words on purpose
    expect 1 'expected at most 32 faults' $postroad up hw/mesh/grid-4x4.mesh $(printf ' --fault corrupt:0.%d' {101..133})
    local verb
    for verb in up down list map send listen ping stats console gdb load; do
        expect 0 "^Usage: postroad $verb" $postroad "$verb" --help
    done
}

# What every topology and kind of node must do.
check_mesh() {
    local nodes=$1 file=$2 sites=$3 links=$4 last=$(($3 - 1))
    expect 0 '^up:mesh$' $postroad up "$file" --nodes "$nodes" --name mesh
    expect 1 'already up' $postroad up "$file" --nodes "$nodes" --name mesh
    expect 0 "^$sites of $sites sites answer, $links of $links links are good" $postroad map --mesh "$file"
    expect 0 '"is_mesh_file":.*true' $postroad map --mesh "$file" --json
    expect 0 "^ *$last +[0-9]+ +2/2" $postroad ping all -c 2 --from 1
    grep -q "^site $last of $sites" < <($postroad console "$last" <<<'id') ||
        fault "the console of site $last is silent"
    expect 0 'local' $postroad stats --full
    expect 0 '"schema":.*"postroad.stats"' $postroad stats --json
    [ "$($postroad stats 2,0-1 --json | grep -c '"answers":.*true')" = 3 ] || fault "stats of three sites has others"
    expect 1 'unknown site' $postroad stats "$sites"
    check_delivery "$sites"
    expect 0 '' $postroad down
    expect 1 'no mesh' $postroad down mesh
    if [ -n "$(ls -A "$directory/postroad-$(id -u)")" ]; then fault "down leaves files in the run directory"; fi
}

# Two listeners hear what is sent; one of them JSON.
check_delivery() {
    local sites=$1 last=$(($1 - 1))
    start "$directory/all" $postroad listen all --count "$sites" --events --timeout 60
    start "$directory/one" $postroad listen "$last" --count 1 --json --timeout 60
    await "$directory/all" "listening at $sites sites"
    await "$directory/one" 'listening at 1 site$'
    expect 0 "$sites targets, 3 data words" $postroad send all --data hello
    await "$directory/one" '"source":0,.*"data":\[25960,27756,111\],"text":"hello"'
    wait "${helpers[@]}" || fault "a listener failed: $(cat "$directory/all" "$directory/one")"
    helpers=()
    [ "$(grep -c '^site [0-9]*: from 0 .* text:"hello"$' "$directory/all")" = "$sites" ] ||
        fault "not $sites deliveries: $(cat "$directory/all")"
    [ "$(grep -o '^site [0-9]*:' "$directory/all" | sort -u | wc -l)" = "$sites" ] || fault "a site heard it twice"
}

# Bytes as they are, two to a word, from a file or from standard input; too many are refused before anything is sent.
check_data_from_files() {
    printf 'a\0b\377' >"$directory/bytes"
    start "$directory/heard" $postroad listen 7 --count 2 --json --timeout 60
    await "$directory/heard" 'listening at 1 site$'
    expect 0 'accepted' $postroad send 7 --data "file:$directory/bytes"
    $postroad send 7 --data - <"$directory/bytes" >/dev/null || fault "exit status $? of send --data -"
    wait "${helpers[@]}"
    helpers=()
    [ "$(grep -c '"data":\[97,65378\]' "$directory/heard")" = 2 ] || fault "bytes of files: $(cat "$directory/heard")"
    expect 1 'No such file' $postroad send 7 --data "file:$directory/none"
    expect 1 'directory' $postroad send 7 --data "file:$directory"
    head -c 5000 /dev/zero >"$directory/much"
    expect 1 'more than 1024 words' $postroad send 7 --data "file:$directory/much"
    timeout --preserve-status --signal=INT 0.5 $postroad send 7 --data - < <(sleep 5) >/dev/null 2>&1
    [ $? = 130 ] || fault "SIGINT while data are read did not give status 130"
}

check_bad_requests() {
    $postroad up hw/mesh/grid-4x4.mesh --nodes native >/dev/null
    expect 1 'unknown site 16' $postroad send 16
    expect 1 'unknown site 16' $postroad ping 16
    expect 1 'no site 16: the mesh has sites 0 to 15' $postroad map --from 16
    expect 1 'no site 16' $postroad console 16
    expect 1 'site 2 is named twice' $postroad send 1-3,2
    expect 1 'no site' $postroad send ''
    expect 1 'expected SITES' $postroad send
    expect 1 'expected sites' $postroad send 1,,2
    expect 1 'wider than' $postroad send 1 --data words:0x10000
    expect 1 'even number of hex digits' $postroad send 1 --data hex:123
    expect 1 'packet too long' $postroad send all --data "$(printf 'x%.0s' {1..300})"
    expect 1 'from 0 to 249' $postroad send 1 --handler 300
    expect 0 'accepted' $postroad send 1-15 --data words:1,0x2,3 --info 7
    expect 0 'accepted: .* 1 target, 1 data word, ' $postroad send 1 --data hi
    check_data_from_files
    expect 5 '0 of 1 deliveries' $postroad listen --count 1 --timeout 0.3
    local hash
    hash=$($postroad map --json | grep -om1 '"mesh_hash":.*"[0-9a-f]\{8\}"')
    expect 0 "\"mesh_hash\":\"${hash: -9}" $postroad sim hw/mesh/grid-4x4.mesh --nodes native --packets 10 --json
    expect 0 'listening at 16 sites' $postroad listen --timeout 0.3
    expect 0 'listening at 1 site$' $postroad listen 5 --timeout 0.3
    expect 3 'warning: the nodes. .mesh hash' $postroad map --mesh hw/mesh/torus-4x4.mesh
    local said
    said=$(printf 'echo one\nbogus\necho two\n' | $postroad console 5)
    [ $? = 1 ] || fault "a bad console command did not give status 1"
    [ "$said" = $'one\nunknown command; try help\ntwo' ] || fault "console said: $said"
}

# What other firmware prints without frames is in the log.
check_raw_text() {
    expect 0 '^up:hello$' $postroad up hw/mesh/grid-4x4.mesh --firmware build/firmware/hello.hex --name hello
    await "$directory/postroad-$(id -u)/hello/log" '^site 15: !$'
    expect 0 '' $postroad down hello
    expect 1 'nothing.hex: cannot be read' $postroad up hw/mesh/grid-4x4.mesh --firmware "$directory/nothing.hex"
    expect 1 'pool: not with core nodes' $postroad up hw/mesh/grid-4x4.mesh --pool 9
}

# Noise into a socket disturbs neither the daemon nor the others.
check_noise() {
    local socket
    socket=$directory/postroad-$(id -u)/grid-4x4/site-0
    local tries
    for tries in 1 2 3; do
        head -c 20000 /dev/urandom | timeout 2 build/tests/host-tools/imitate node -w "$socket" >/dev/null ||
            fault "cannot write noise ($tries)"
    done
    expect 0 '16 of 16 sites' $postroad map
}

# So many clients that the last is turned away, and told why.
check_crowd() {
    local number
    for number in {1..32}; do
        start "$directory/crowd.$number" $postroad listen 0
    done
    for number in {1..32}; do await "$directory/crowd.$number" 'listening at 1 site$'; done
    expect 2 'closed it: this console has as many clients' $postroad map
    expect 0 '16 of 16 sites' $postroad map --from 1
    kill -INT "${helpers[@]}"
    wait "${helpers[@]}"
    helpers=()
    expect 0 '16 of 16 sites' $postroad map
}

check_idle() {
    rests 0 processor_ticks "$(cat "$directory/postroad-$(id -u)/grid-4x4/pid")"
}

check_killed_daemon() {
    local daemon helper
    daemon=$(cat "$directory/postroad-$(id -u)/grid-4x4/pid")
    start "$directory/listen" $postroad listen all
    start "$directory/ping" $postroad ping all -c 10000
    start "$directory/watch" $postroad stats --watch=0.1
    start "$directory/send" $postroad send all --count 1000000
    await "$directory/listen" 'listening at 16'
    await "$directory/watch" 'since the last table'
    kill -KILL "$daemon"
    for helper in "${helpers[@]}"; do
        wait "$helper"
        [ $? = 2 ] || fault "a verb whose daemon was killed did not end with status 2"
    done
    helpers=()
    grep -q 'lost the connection' "$directory/listen" || fault "listen does not say what happened"
    # Its sockets are closed before its lock is.
    within_time test ! -e "/proc/$daemon/fd/0" || fault "process $daemon outlives SIGKILL"
    expect 2 "has died" $postroad map
    expect 2 "process $daemon, ended" $postroad map --gateway up:grid-4x4
    expect 0 '^up:grid-4x4$' $postroad up hw/mesh/grid-4x4.mesh --nodes native
    expect 0 '16 of 16 sites' $postroad map
    local pid_file
    pid_file=$directory/postroad-$(id -u)/grid-4x4/pid
    kill -KILL "$(cat "$pid_file")"
    flock --wait 60 "$pid_file" true # its lock goes when it is really gone
    expect 0 'had died; cleared away' $postroad down grid-4x4
}

# A run directory that cannot be written, or a disk that is full: nothing is started, and nothing left.
check_no_room() {
    local limited="ulimit -f 0; $postroad up hw/mesh/grid-4x4.mesh 2>&1 | cat; exit \${PIPESTATUS[0]}"
    expect 1 'cannot make the run directory' env XDG_RUNTIME_DIR=/none $postroad up hw/mesh/grid-4x4.mesh
    expect 1 'cannot write .*/pid: File too large' bash -c "$limited"
    if compgen -G "$directory/postroad-*/*" >/dev/null; then fault "files are left after an up that could not write"; fi
}

# Which meshes there are: up, starting, died, none.
check_list() {
    local run
    run=$directory/postroad-$(id -u)
    expect 0 'no mesh is up' $postroad list
    expect 0 '^.*"meshes":.*\[\]' $postroad list --json
    expect 0 '' $postroad up hw/mesh/grid-4x4.mesh --nodes native --name first --quiet
    expect 0 '' $postroad up hw/mesh/torus-4x4.mesh --nodes native --name second --quiet
    expect 0 "^first +up +16 +native +$(cat "$run/first/pid") +20[0-9-]+ [0-9:]+ +grid-4x4.mesh" $postroad list
    expect 0 '"mesh":.*/hw/mesh/torus-4x4.mesh"' $postroad list --json
    [ "$(grep -c '"state":.*"up"' <<<"$said")" = 2 ] || fault "list --json: $said"
    sed -i /ready/d "$run/second/about"
    kill -9 "$(cat "$run/first/pid")"
    expect 0 '^second +starting' $postroad list
    flock --wait 60 "$run/first/pid" true
    expect 0 '^first +died +16' $postroad list
    expect 0 '' $postroad down --all
    expect 0 'no mesh is up' $postroad list
}

check_interrupt() {
    $postroad up hw/mesh/grid-4x4.mesh --nodes native >/dev/null
    local status
    timeout --preserve-status --signal=INT 1 $postroad listen >/dev/null 2>&1
    status=$?
    [ $status = 130 ] || fault "SIGINT gave status $status"
    expect 0 '' $postroad down
}

start_fake() {
    rm -f "$directory/fake" "$directory/fake.log"
    start "$directory/fake.log" $imitate node "$@" "$directory/fake"
    await "$directory/fake.log" ready
}

stop_fake() {
    kill "${helpers[@]}" 2>/dev/null
    wait "${helpers[@]}" 2>/dev/null
    helpers=()
}

# Faults that a simulated mesh does not have.
check_faulty_mesh() {
    local gateway=unix:$directory/fake
    start_fake -s 5 -c 9:2 -g 30 -l -b 5
    expect 4 'site 5: silent' $postroad map -t 1 -g "$gateway"
    expect 4 'link 9 north to 13: one way' $postroad map -t 1 -g "$gateway"
    expect 4 '^ +5 +2 +0/1 +silent' $postroad ping all -c 1 -t 1 -g "$gateway"
    expect 5 'silent' $postroad ping 5 -c 1 -t 1 -g "$gateway"
    expect 4 'silent' $postroad stats -t 1 -g "$gateway"
    expect 0 'accepted' $postroad send 5 -g "$gateway"
    stop_fake
    start_fake -a 7
    expect 3 'site 7 has the address' $postroad map -g "$gateway"
    stop_fake
    start_fake -m
    expect 5 'no answer from .* within 0.3 s' $postroad map -t 0.3 -g "$gateway"
    stop_fake
    start_fake -z 150 # slow is not silent: 16 answers in 2.4 s, eight asked for at once
    expect 0 '16 of 16 sites' $postroad map -t 1 -g "$gateway"
    stop_fake
    start_fake -d 6
    expect 2 'lost the connection' $postroad map -g "$gateway"
    stop_fake
    start "$directory/tcp.log" $imitate node tcp
    await "$directory/tcp.log" '^[0-9]+$'
    expect 0 '16 of 16 sites' $postroad map -g "tcp:localhost:$(cat "$directory/tcp.log")"
    stop_fake
    expect 2 'cannot connect' $postroad map -g "tcp:localhost:$(cat "$directory/tcp.log")"
    expect 2 'cannot find host' $postroad map -g tcp:no.such.host.invalid:1
    start_fake -t 9
    expect 2 'not as a node' $postroad map -g "$gateway"
    stop_fake
}

# A mesh in which a site never answers, one that was reset, and one with the raw service.
check_faults() {
    expect 0 '^up:faulty$' $postroad up hw/mesh/grid-4x4.mesh --nodes native --name faulty --fault stop:5:10 \
        --fault reset:9:1000 --window 2
    expect 4 'failed: sequence [0-9]+, site 5: no acknowledgement' $postroad send all --data hello -c 3
    expect 3 'failed: sequence [0-9]+, site 5: no acknowledgement' $postroad send 5
    expect 4 'site 0 has given up [0-9]+ targets of its packets' $postroad stats -t 1
    expect 4 'site 9: restarted, epoch 1' $postroad map -t 1
    expect 4 '"epoch":.1' $postroad map -t 1 --json
    expect 0 'deliv' $postroad send 0-4,6-15 --from 9
    expect 0 '' $postroad down
    expect 0 '"reliable":.false' $postroad up hw/mesh/grid-4x4.mesh --nodes native --reliable 0 --json
    expect 0 ', raw service, ' $postroad map
    expect 3 'the mesh is raw, but .* asks for reliable' $postroad map --mesh hw/mesh/grid-4x4.mesh
    expect 0 '^accepted: [^:]*$' $postroad send all --data hello
    expect 0 '"waited":.false' $postroad send all --json
    expect 0 'site +sent' $postroad stats
    expect 0 '' $postroad down
}

# Sites with the fewest buffers that a mesh can have, and more traffic than those hold.
check_short_of_buffers() {
    expect 0 '^up:short$' $postroad up hw/mesh/grid-4x4.mesh --nodes native --pool 4 --stall 50 --name short
    local site
    for site in 1 2 3; do
        start "$directory/flood.$site" $postroad send all --data words:1,2,3,4,5,6,7,8 -c 100 --quiet --from $site
    done
    wait "${helpers[@]}" || fault "a send failed: $(cat "$directory"/flood.*)"
    helpers=()
    expect 0 'site [0-9]+ is short of buffers: at the least [0-2] of them were free' $postroad stats
    expect 0 '"short_of_buffers":.true' $postroad stats --json
    expect 0 '' $postroad down
}

# sends TARGETS: delivered to all.
sends() { $postroad send "$1" >/dev/null 2>&1; }

# An operator that is held takes no packet, its console goes on; after that all is well again. An idle mesh has 12 million
# clocks a second.
check_hold() {
    expect 0 '^up:grid-4x4$' $postroad up hw/mesh/grid-4x4.mesh --nodes native
    [ "$(echo hold 60000000 | $postroad console 5)" = held ] || fault "site 5 is not held"
    expect 4 'failed: sequence [0-9]+, site 5: no acknowledgement' $postroad send 4-6
    grep -q '^site 5 of 16' < <(echo id | $postroad console 5) || fault "the console of a held site is silent"
    within_time sends 4-6 || fault "site 5 takes nothing after it was held"
    grep -Eq '^time_outs [1-9]' < <(echo counters time | $postroad console 0) || fault "no time-out while site 5 was held"
    grep -q 'how many clocks' < <(echo hold on | $postroad console 5) || fault "a hold of no length is not refused"
    expect 0 '' $postroad down
}

# What becomes of a packet in a reliable mesh: with sites that never acknowledge, events that get lost, a full window.
check_outcomes() {
    local gateway=unix:$directory/fake said
    start_fake -R -F 9 -F 12 -B 3
    expect 0 ', reliable, ' $postroad map -g "$gateway"
    expect 0 'delivered: sequence 0, sites 1-3,5, settled after 1000 clocks' $postroad send 1-3,5 -g "$gateway"
    expect 4 'failed: sequence 1, sites 9,12: no acknowledgement' $postroad send 8-13 -g "$gateway"
    expect 4 'delivered: sequence 2, sites 8,10-11,13,' $postroad send 8-13 -g "$gateway"
    expect 3 'failed: sequence 3, site 9: no ack' $postroad send 9 -g "$gateway"
    expect 0 'accepted: sequence 4' $postroad send 9 --no-wait -g "$gateway"
    expect 4 '^$' $postroad send 8,9 --quiet -g "$gateway"
    expect 0 'sequence 10, sites 1,3' $postroad send 1,3 --count 5 -g "$gateway"
    expect 4 '"targets_failed":.1' $postroad send 8,9 --json -g "$gateway"
    said=$($postroad send 8,9 --json -g "$gateway" | tr -d ' \n\t')
    [[ $said == *'"settled":true,"settled_clock":1042,"targets":[{"site":8,"outcome":"delivered"},{"site":9,'* ]] &&
        [[ $said == *'"outcome":"failed","reason":"noacknowledgement"}]}],"waited":true,'* ]] || fault "JSON: $said"
    stop_fake
    start_fake -R -Q
    expect 5 '3 targets it is not known after 0.3 s' $postroad send 1-3 -t 0.3 -g "$gateway"
    expect 5 'unknown: sequence 1, sites 1-3' $postroad send 1-3 -t 0.3 -g "$gateway"
    expect 0 'accepted' $postroad send 1-3 -t 0.3 --no-wait -g "$gateway"
    stop_fake
    start_fake -R -Q
    timeout --preserve-status --signal=INT 1 $postroad send 1-3 -g "$gateway" >/dev/null 2>&1
    [ $? = 130 ] || fault "SIGINT while waiting for an outcome did not give status 130"
    stop_fake
    start_fake -R -B 100000
    expect 5 'refused by the node: window full' $postroad send 1-3 -t 0.3 -g "$gateway"
    stop_fake
    start_fake -R -d 3
    expect 2 'lost the connection' $postroad send 1 -g "$gateway"
    stop_fake
    start_fake -O
    expect 0 ', raw service, ' $postroad map -g "$gateway"
    expect 0 '^accepted: sequence 0, .*$' $postroad send 1 -g "$gateway"
    stop_fake
}

# One owner for a serial line, root or not; the second is told who has it.
check_tty() {
    local tty
    start "$directory/tty" $imitate node pty
    await "$directory/tty" /dev/pts
    tty=$(cat "$directory/tty")
    expect 0 '1/1' $postroad ping 3 -c 1 -g "tty:$tty"
    start "$directory/owner" $postroad listen -g "tty:$tty"
    await "$directory/owner" listening
    expect 2 "in use by process ${helpers[1]} \(postroad\)" $postroad map -g "tty:$tty"
    kill -INT "${helpers[1]}"
    wait "${helpers[1]}"
    expect 0 '16 of 16' $postroad map -g "tty:$tty"
    stop_fake
}

check_meshes() {
    check_mesh native hw/mesh/grid-4x4.mesh 16 24
    check_mesh native hw/mesh/torus-4x4.mesh 16 32
    check_mesh native hw/mesh/hypercube-4.mesh 16 32
    check_mesh native hw/mesh/grid-8x8.mesh 64 112
    check_mesh core hw/mesh/grid-4x4.mesh 16 24
}

[ $# -gt 0 ] || set -- usage meshes raw_text bad_requests noise crowd idle killed_daemon no_room list interrupt faulty_mesh \
    faults hold short_of_buffers outcomes tty
run_checks "$@"
