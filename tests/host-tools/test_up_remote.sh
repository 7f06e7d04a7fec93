#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad up TESTBED` with boards at another host, through an ssh that is imitated (it joins its arguments with blanks for a
# shell), through sshd on this machine where it can run (/usr/sbin/sshd or SSHD; root also needs /run/sshd), and with boards at
# sockets. A line that is cut and comes back, a board that is plugged in elsewhere at that host, hosts
# that are silent or refuse: nothing waits, and no process is left.
# usage: test_up_remote.sh [CHECK...]      default: all of them, see the end
# needs: build/tests/host-tools/imitate build/tests/host-tools/real_ttys.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

arguments=("$@")
# shellcheck source=tests/host-tools/usb_desk.bash
source tests/host-tools/usb_desk.bash up-remote

sshd=${SSHD:-/usr/sbin/sshd}

# The other host sees the same USB bus. Its programs are on the PATH of the shell there. $directory/host: what it does.
imitate_ssh() {
    mkdir "$directory/bin"
    ln -s "$postroad" "$directory/bin/postroad"
    ln -s "$PWD/tests/host-tools/imitate/ssh" "$directory/bin"
    export FAKE_SSH=$directory PATH=$directory/bin:$PATH
}

host_is() { echo "$1" >"$directory/host"; }

alive() {
    local process
    while read -r process; do
        if kill -0 "$process" 2>/dev/null; then return 0; fi
    done <"$directory/processes"
    return 1
}

none_alive() { ! alive; }

# no_process_left: all that ssh has started have ended.
no_process_left() {
    within_time none_alive || fault "$1 leaves processes: $(ps -o pid,args -p "$(tr '\n' , <"$directory/processes")0")"
    : >"$directory/processes"
}

remote=('b1: host = me@bench' 'b2: host = me@bench')

check_verbs() {
    testbed "${remote[@]}"
    host_is greets
    expect 0 '^up:desk$' "$postroad" up "$desk"
    expect 0 '4 of 4 sites answer, 4 of 4 links are good' "$postroad" map --mesh "$directory/square.mesh"
    expect 0 ' 3 +1 +1/1 ' "$postroad" ping all --count 1 --from 2
    start "$directory/heard" "$postroad" listen 1-2 --count 2
    await "$directory/heard" listening
    expect 0 'delivered: .*sites 1-3' "$postroad" send 1-3 --data 'all boards'
    await "$directory/heard" 'all boards'
    wait "${helpers[-1]}" || fault "listen ends with status $?"
    expect 2 'in use by process' "$postroad" line tty:/dev/ttyUSB2
    expect 0 '^$' "$postroad" down
    no_process_left 'down'
    host_is plain
    expect 0 '^up:desk$' "$postroad" up "$desk"
    kill -KILL "$(cat "${log%/log}/pid")"
    no_process_left 'a daemon that was killed'
    expect 0 '' "$postroad" down
}

# last_process: of ssh, started last.
last_process() { tail -n 1 "$directory/processes"; }

# The connection is cut and comes back; the board is plugged in elsewhere at that host.
check_cut() {
    testbed 'b2: host = me@bench'
    host_is plain
    expect 0 '^up:desk$' "$postroad" up "$desk"
    kill -KILL "$(last_process)"
    await "$log" 'site 2: board b2 \(me@bench:/dev/ttyUSB1\) is gone: end of file'
    await "$log" 'site 2: answers again: board b2'
    expect 0 '4 of 4 sites answer' "$postroad" map --from 2
    take_away 1-1.3
    order square 'unplug 2'
    bring_back 1-2
    wire ttyUSB7 2
    order square 'plug 2'
    # shellcheck disable=SC2317  # within_time calls it
    answers_from_2() { grep -q '4 of 4 sites answer' <("$postroad" map --from 2 --timeout 3 2>&1); }
    within_time answers_from_2 || fault "not back at the other port: $(cat "$log")"
    # A host that does not answer when it is asked anew delays nobody.
    host_is silent
    kill -KILL "$(last_process)"
    within_time grep -Eq 'b2 \(me@bench:/dev/ttyUSB7\) is gone' "$log" || fault "not cut: $(cat "$log")"
    sleep 1
    expect 0 '4 of 4 sites answer' timeout 20 "$postroad" map --from 1
    expect 0 '^$' timeout 20 "$postroad" down
    no_process_left 'a silent host'
    take_away 1-2
    bring_back 1-1.3
    wire_all
}

# All that is wrong at once, and nothing is left.
check_refused() {
    testbed "${remote[@]}"
    host_is away
    expect 2 'board b1: host me@bench: ssh: connect to host me@bench port 22: No route to host' "$postroad" up "$desk"
    grep -q 'board b2: host me@bench: ssh: connect' <<<"$said" || fault "not both: $said"
    host_is old
    expect 2 'board b2: host me@bench: sh: 1: postroad: not found' "$postroad" up "$desk"
    host_is strange
    expect 2 'board b2: host me@bench: .* prints no list of devices' "$postroad" up "$desk"
    host_is plain
    take_away 1-1.2
    bring_back 1-2
    expect 2 'board b1: host me@bench: missing: no device serial K00001' "$postroad" up "$desk"
    grep -q 'board b2: host me@bench: ambiguous: 2 devices fit' <<<"$said" || fault "not ambiguous: $said"
    bring_back 1-1.2
    take_away 1-2
    exec {held}<"$FAKE_TTYS/ttyUSB2"
    flock "$held"
    expect 2 'board b1: host me@bench: postroad line: /dev/ttyUSB2 is in use by' "$postroad" up "$desk"
    exec {held}<&-
    wire ttyUSB2 0
    wire ttyUSB3 1
    expect 3 'board b1 \(me@bench:/dev/ttyUSB2\): its node is site 0, expected site 1' "$postroad" up "$desk"
    wire_all
    no_process_left 'a refused up'
    expect 1 'expected tty:PATH or tty:PATH@BAUD' "$postroad" line unix:/nothing
    expect 2 'cannot open /dev/ttyUSB9' "$postroad" line tty:/dev/ttyUSB9
}

# serve_sockets: b3's console at a TCP port, b2's at a unix socket. What a server of ptys would do.
serve_sockets() {
    python3 - "$directory" "$FAKE_TTYS" "$postroad" >"$directory/sockets.log" 2>&1 <<'PYTHON' &
import socket, subprocess, sys
from selectors import DefaultSelector, EVENT_READ
folder, ttys, postroad = sys.argv[1:]
tcp = socket.create_server(("127.0.0.1", int(open(folder + "/port").read() or 0)), reuse_port=False)
unix = socket.socket(socket.AF_UNIX)
unix.bind(folder + "/b2.socket")
unix.listen(1)
open(folder + "/port", "w").write(str(tcp.getsockname()[1]))
selector = DefaultSelector()
selector.register(tcp, EVENT_READ, "ttyUSB0")
selector.register(unix, EVENT_READ, "ttyUSB1")
print("ready", flush=True)
while True:
    for key, _ in selector.select():
        end = key.fileobj.accept()[0]
        subprocess.Popen([postroad, "line", "tty:/dev/" + key.data], stdin=end, stdout=end)
        end.close()
PYTHON
    helpers+=($!)
    await "$directory/sockets.log" ready
}

check_sockets() {
    : >"$directory/port"
    serve_sockets
    testbed 'b2: probe = xvc:localhost:9' "b2: console = unix:$directory/b2.socket" 'b3: probe = xvc:localhost:8' \
        "b3: console = tcp:localhost:$(cat "$directory/port")"
    expect 0 '^up:desk$' "$postroad" up "$desk"
    expect 0 '4 of 4 sites answer, 4 of 4 links are good' "$postroad" map --from 3
    order square 'unplug 3'
    await "$log" "site 3: board b3 \\(tcp:localhost:$(cat "$directory/port")\\) is gone: end of file"
    order square 'plug 3'
    await "$log" 'site 3: answers again: board b3'
    # The server dies and comes back.
    kill "${helpers[-1]}"
    wait "${helpers[-1]}" 2>/dev/null
    rm "$directory/b2.socket"
    order square 'unplug 2'
    order square 'unplug 3'
    await "$log" 'site 3: board b3: cannot connect to localhost: Connection refused'
    expect 0 'site 1' timeout 20 "$postroad" map --from 1
    order square 'plug 2'
    order square 'plug 3'
    serve_sockets
    within_time grep -Eq 'site 2: answers again: board b2' "$log" || fault "b2 is not back: $(cat "$log")"
    # shellcheck disable=SC2317  # within_time calls it
    twice_back() { [ "$(grep -c 'site 3: answers again' "$log")" = 2 ]; }
    within_time twice_back || fault "b3 is not back: $(cat "$log")"
    expect 0 '4 of 4 sites answer' "$postroad" map --from 3
    expect 0 '^$' "$postroad" down
    testbed 'b3: probe = xvc:localhost:8' 'b3: console = tcp:localhost:1'
    expect 2 'board b3: cannot connect to localhost: Connection refused' "$postroad" up "$desk"
    testbed 'b3: probe = xvc:localhost:8' 'b3: console = tcp:nowhere.invalid:1'
    expect 2 "board b3: cannot find host 'nowhere.invalid'" "$postroad" up "$desk"
}

# sshd as this user, with keys and a port of its own: it runs for one test, and ends with it.
start_sshd() {
    local port
    port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
    ssh-keygen -q -t ed25519 -N '' -f "$directory/host_key" && ssh-keygen -q -t ed25519 -N '' -f "$directory/key"
    cp "$directory/key.pub" "$directory/authorized"
    (
        unset OLDPWD
        export -p
    ) >"$directory/environment"
    printf '%s\n' "Port $port" 'ListenAddress 127.0.0.1' "HostKey $directory/host_key" \
        "AuthorizedKeysFile $directory/authorized" "PidFile $directory/sshd.pid" \
        'StrictModes no' 'UsePAM no' 'PasswordAuthentication no' \
        "ForceCommand . '$directory/environment'; exec sh -c \"\$SSH_ORIGINAL_COMMAND\"" \
        >"$directory/sshd_config"
    printf '%s\n' 'Host bench' 'HostName 127.0.0.1' "Port $port" "User $(id -un)" "IdentityFile $directory/key" \
        "UserKnownHostsFile $directory/known" 'StrictHostKeyChecking accept-new' 'LogLevel ERROR' >"$directory/ssh_config"
    rm "$directory/bin/ssh"
    printf '#!/bin/sh\nexec /usr/bin/ssh -F %s "$@"\n' "$directory/ssh_config" >"$directory/bin/ssh"
    chmod +x "$directory/bin/ssh"
    "$sshd" -f "$directory/sshd_config" -E "$directory/sshd.log" -D &
    helpers+=($!)
    await "$directory/sshd.log" 'listening on'
}

# lines_joined: how many ttys `postroad line` has open there.
lines_joined() { pgrep -f -c "^$PWD/build/postroad line tty:/dev/ttyUSB[12]@" || true; }
none_joined() { [ "$(lines_joined)" = 0 ]; }
all_joined() { [ "$(lines_joined)" = 2 ]; }

check_sshd() {
    if [ ! -x "$sshd" ] || { [ "$(id -u)" = 0 ] && [ ! -d /run/sshd ]; }; then
        echo "left out: a real sshd ($sshd is not installed, or /run/sshd is not there)"
        return
    fi
    start_sshd
    testbed 'b1: host = bench' 'b2: host = bench'
    expect 0 '^up:desk$' "$postroad" up "$desk"
    expect 0 '4 of 4 sites answer, 4 of 4 links are good' "$postroad" map --from 2
    all_joined || fault "$(lines_joined) lines are joined, expected 2"
    # The board is unplugged there: the far process ends, and the new one finds it again.
    order square 'unplug 1'
    await "$log" 'site 1: board b1 \(bench:/dev/ttyUSB2\) is gone: end of file'
    order square 'plug 1'
    await "$log" 'site 1: answers again: board b1'
    # The connections are cut: sshd's processes of the sessions die.
    pkill -KILL -P "$(cat "$directory/sshd.pid")"
    await "$log" 'site 2: board b2 \(bench:/dev/ttyUSB1\) is gone: end of file'
    await "$log" 'site 2: answers again: board b2'
    expect 0 '4 of 4 sites answer' "$postroad" map --from 2
    expect 0 '^$' "$postroad" down
    within_time none_joined || fault "$(lines_joined) processes are left at the other host"
    expect 0 '^up:desk$' "$postroad" up "$desk"
    kill -KILL "$(cat "${log%/log}/pid")"
    within_time none_joined || fault "a daemon that was killed leaves $(lines_joined) processes at the other host"
    expect 0 '' "$postroad" down
}

wire_all
imitate_ssh
[ ${#arguments[@]} -gt 0 ] || arguments=(verbs cut sockets refused sshd)
run_checks "${arguments[@]}"
