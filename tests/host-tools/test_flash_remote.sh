#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Boards at another host: through an ssh that is imitated as far as it matters here (it joins its arguments with blanks for a
# shell), and, where /usr/sbin/sshd is installed or SSHD names one, through sshd on this machine with keys and a port of its
# own. A host that is not reached is reported with all other problems.
# needs: build/postroad build/firmware/node.elf build/tests/host-tools/imitate build/tests/host-tools/real_ttys.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/flash_desk.bash
source tests/host-tools/flash_desk.bash flash-remote
sshd=${SSHD:-/usr/sbin/sshd}

# The other host sees the same USB bus. Its programs are on the PATH of the shell there.
imitate_ssh() {
    ln -s "$PWD/tests/host-tools/imitate/ssh" "$desk/bin"
    ln -sf "$PWD/build/postroad" "$desk/bin/postroad"
    export FAKE_SSH=$desk
}

# flash_all: from nothing, again, and what went through ssh.
flash_all() {
    rm -f "$desk"/boards/*/flash "$desk"/boards/*/calls
    flash 0
    [ "$(grep -c ' written ' "$desk/out")" = 4 ] || fault "$1: $(cat "$desk/out" "$desk/err")"
    flash 0 --hello 5
    [ "$(grep -c ' was right ' "$desk/out")" = 4 ] || fault "$1: $(cat "$desk/out" "$desk/err")"
    strike 2 bitstream wrong
    flash 3 --only b2 --force
    strike 2 bitstream lost
    flash 2 --only b2 --force
    strike 2
    flash 0
}

boards_on_desk ulx3s_25f 0403:6015 2x2 4
sed -i 's/^path = 1-1\.[34]$/&\nhost = me@bench/' "$desk/testbed.ini"
imitate_ssh
flash_all 'imitated ssh'
grep -qx 'me@bench' "$desk/hosts" || fault 'nothing went through ssh'
flash 0 --dry-run --only b2
in_output out "^b2: ssh -T .* -- me@bench 'd=.*openFPGALoader -b ulx3s --busdev-num 1:10 .*\"\\\$d/f.bin\""
sed -i 's/me@bench/away/; /^path = 1-1\.1$/s/.$/9/' "$desk/testbed.ini"
flash 2
in_output err 'host away: .* does not reach it'
in_output err 'b0: missing: '
sed -i 's/^host = away/host = me@bench/; s/^path = 1-1\.9$/path = 1-1.1/' "$desk/testbed.ini"

# A real sshd, as this user, on a port that is free.
if [ ! -x "$sshd" ]; then
    echo "left out: a real sshd ($sshd is not installed)"
else
    ssh-keygen -q -t ed25519 -N '' -f "$desk/host_key" && ssh-keygen -q -t ed25519 -N '' -f "$desk/key"
    cp "$desk/key.pub" "$desk/authorized"
    port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
    # shellcheck disable=SC2016  # the inner shell's
    printf '%s\n' "Port $port" 'ListenAddress 127.0.0.1' "HostKey $desk/host_key" "AuthorizedKeysFile $desk/authorized" \
        "PidFile $desk/sshd.pid" 'StrictModes no' 'UsePAM no' 'PasswordAuthentication no' \
        "ForceCommand LD_PRELOAD='' . '$desk/environment'; exec sh -c \"\$SSH_ORIGINAL_COMMAND\"" >"$desk/sshd_config"
    printf '%s\n' 'Host bench' 'HostName 127.0.0.1' "Port $port" "User $(id -un)" "IdentityFile $desk/key" \
        "UserKnownHostsFile $desk/known" 'StrictHostKeyChecking accept-new' 'LogLevel ERROR' >"$desk/ssh_config"
    rm "$desk/bin/ssh"
    printf '#!/bin/sh\nexec /usr/bin/ssh -F %s "$@"\n' "$desk/ssh_config" >"$desk/bin/ssh"
    chmod +x "$desk/bin/ssh"
    sed -i 's/^host = me@bench/host = bench/' "$desk/testbed.ini"
    # What the bus is at the other host: its environment is that of this run, which on_desk knows.
    # shellcheck disable=SC2016  # the inner shell's
    on_desk_with_sshd() {
        on_desk bash -c 'export -p >"$0/environment"; "$1" -f "$0/sshd_config" -E "$0/sshd.log" || exit 9; shift
            "$@"; status=$?; kill "$(cat "$0/sshd.pid")"; exit $status' "$desk" "$sshd" "$@"
    }
    status=0
    on_desk_with_sshd timeout 100 build/postroad flash "$desk/testbed.ini" --force >"$desk/out" 2>"$desk/err" || status=$?
    [ $status = 0 ] || fault "through sshd: exit status $status: $(tail -n 20 "$desk/err" "$desk/sshd.log")"
    [ "$(grep -c ' written ' "$desk/out")" = 4 ] || fault "through sshd: $(cat "$desk/out")"
fi
[ $faults = 0 ] && echo 'all good'
[ $faults = 0 ]
