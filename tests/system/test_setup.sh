#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The set-up: silent when all is there, clear about what it needs when it cannot install, with progress while it installs and
# builds, the true reason when it fails, and a clean end when it is interrupted. Nothing is installed here: dpkg-query, id and
# apt-get are stand-ins.
# needs only: nothing
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/expect.bash
packages=host-tools/setup/packages

[ -z "$($packages test)" ] || { echo "not silent though this very run has all packages"; exit 1; }
expect 1 "expected demo, boards, qemu, deb, test or long" $packages everything
expect 1 "usage:" $packages
expect 1 "usage:" host-tools/setup/fpga_tools
expect 2 "make setup-cpu" host-tools/setup/fpga_tools "${TMPDIR:-/tmp}"

# What each door of the README needs: packages, and Yosys and nextpnr or not.
door() {
    local plan
    plan=$(make -n setup DOOR="$1")
    [[ $plan == *"setup/packages $2"* && $(grep -c 'setup-cpu setup-tools' <<<"$plan") = "$3" ]] ||
        { echo "make setup DOOR=$1: expected packages $2, Yosys and nextpnr: $3. $plan"; exit 1; }
}
door bench demo 0
door firmware qemu 0
door boards boards 1
door '' test 1
expect 2 "DOOR=roof: expected bench, boards" make setup DOOR=roof

stand_ins=$(mktemp -d)
trap 'rm -rf "$stand_ins"' EXIT
stand_in() {
    printf '#!/bin/sh\n%s\n' "$2" >"$stand_ins/$1"
    chmod +x "$stand_ins/$1"
}
for tool in bash sh dirname awk sed env cat mktemp rm tail sleep touch; do
    ln -s "$(command -v $tool)" "$stand_ins/$tool"
done

with_stand_ins() {
    env -i PATH="$stand_ins" "$@"
}
expect 1 "this is not Debian" with_stand_ins $packages demo
expect 0 "" with_stand_ins env SETUP=skip $packages demo

# One package is missing, and there is no way to become root.
stand_in dpkg-query 'for name; do :; done; [ "$name" = verilator ] || echo installed'
stand_in id 'echo 1000'
expect 1 "apt-get install --no-install-recommends verilator" with_stand_ins $packages demo
expect 0 "" with_stand_ins env SETUP=skip $packages demo
stand_in dpkg-query 'for name; do :; done; [ "$name" = qemu-system-misc ] || echo installed'
[ -z "$(with_stand_ins $packages demo)" ] || { echo "the demo without QEMU asks for it"; exit 1; }
expect 1 "recommends qemu-system-misc" with_stand_ins $packages qemu
expect 1 "recommends qemu-system-misc" with_stand_ins $packages test
stand_in dpkg-query 'for name; do :; done; [ "$name" = verilator ] || echo installed'

# Root: what will be installed, and how large it is, comes before the installation.
stand_in id 'echo 0'
stand_in apt-cache 'exit 0'
stand_in apt-get 'case "$*" in
    *--assume-no*) echo "Need to get 12.3 MB of archives."
                   echo "After this operation, 45.6 MB of additional disk space will be used." ;;
    *--download-only*) exit ${DOWNLOAD_STATUS:-0} ;;
    *--yes*install*) echo "a reason"; exit ${APT_STATUS:-0} ;;
esac'
expect 0 "    verilator" with_stand_ins $packages demo
expect 0 "to download: 12.3 MB" with_stand_ins $packages demo
expect 0 "on the disk: 45.6 MB" with_stand_ins $packages demo
expect 0 "time: about 3 s" with_stand_ins $packages demo
expect 2 "could not download verilator" with_stand_ins env DOWNLOAD_STATUS=100 $packages demo
expect 2 "could not install verilator" with_stand_ins env APT_STATUS=100 $packages demo
expect 2 "a reason" with_stand_ins env APT_STATUS=100 $packages demo

# Progress, as apt-get reports it: a line now and then in a log, one line drawn over itself on a terminal. apt-get closes its
# status to the scripts that it runs, and these write to standard output.
stand_in apt-get 'set -e
case "$*" in
    *Status-Fd=3*--download-only*) echo "dlstatus:1:12.5000:Retrieving file 1 of 7" >&3 ;;
    *Status-Fd=3*--yes*install*)
        echo "pmstatus:libfoo:43.2100:Unpacking libfoo (amd64)" >&3
        exec 3>&-
        echo "Selecting libfoo" ;;
esac'
expect 0 "    12 %: Retrieving file 1 of 7" with_stand_ins env PROGRESS_SECONDS=0 $packages demo
expect 0 "    43 %: Unpacking libfoo (amd64)" with_stand_ins env PROGRESS_SECONDS=0 $packages demo
if with_stand_ins $packages demo | grep -E '%|Selecting'; then echo "a log is not quiet"; exit 1; fi
on_terminal() {
    with_stand_ins TERM=xterm SHELL="$(command -v bash)" "$(command -v script)" --quiet --return --command "$1" \
        "$stand_ins/typescript"
}
expect 0 $'\r\033[K    43 %: Unpacking libfoo' on_terminal "$packages demo"

# interrupt_when FILE COMMAND...: Ctrl-C once FILE is there. What was printed is in $stand_ins/said, the exit status in $status.
interrupt_when() {
    local file=$1 child
    shift
    rm -f "$file"
    setsid env --default-signal=INT "$@" >"$stand_ins/said" 2>&1 &
    child=$!
    for ((tries = 0; tries < 600; tries++)); do
        if [ -e "$file" ]; then break; fi
        sleep 0.1
    done
    kill -INT -- "-$child"
    status=0
    wait "$child" || status=$?
    if [ $status -ne 130 ] || ! grep -q 'interrupted' "$stand_ins/said"; then
        echo "interrupted: exit status $status, expected 130: $*"
        cat "$stand_ins/said"
        exit 1
    fi
}

# A download may be interrupted; dpkg may not.
stand_in apt-get "case \"\$*\" in
    *--download-only*) touch $stand_ins/started; exec sleep 100 ;;
esac"
interrupt_when "$stand_ins/started" env -i PATH="$stand_ins" $packages demo
stand_in apt-get "case \"\$*\" in
    *--download-only*) exit 0 ;;
    *--yes*install*) touch $stand_ins/started; sleep 1; touch $stand_ins/installed ;;
esac"
interrupt_when "$stand_ins/started" env -i PATH="$stand_ins" $packages demo
[ -e "$stand_ins/installed" ] || { echo "dpkg was interrupted"; exit 1; }

# What is built is named, and counted. Failures show the end of the log, wherever that is.
mkdir "$stand_ins/tree"
cat >"$stand_ins/tree/Makefile" <<'END'
goal: one two ; @:
one two: ; echo -o $@ && touch $@
bad: ; @seq 40; echo -o bad; echo the reason; false
slow: ; touch slow && sleep 100 # -o slow
long: ; @echo 'bitstream: desk: synthesis, about 60 s'; true -o long
END
build=$PWD/host-tools/setup/build
in_tree() {
    (cd "$stand_ins/tree" && "$@")
}
expect 0 "    2 of 2: two" in_tree env PROGRESS_SECONDS=0 "$build" out/build.log goal
[ "$(in_tree "$build" out/build.log goal)" = "" ] || { echo "not silent when all is built"; exit 1; }
expect 0 "    bitstream: desk: synthesis, about 60 s" in_tree "$build" out/build.log long
expect 2 "the reason" in_tree "$build" out/build.log bad
expect 2 "build: failed, see out/build.log" in_tree "$build" out/build.log bad
expect 2 "build: cannot write Makefile/build.log: " in_tree "$build" Makefile/build.log goal
expect 1 "usage:" "$build"
cd "$stand_ins/tree"
interrupt_when slow "$build" out/build.log slow
cd "$OLDPWD"

# A disk without room: what ends the installation is named. A limit on files is one without a disk.
no_room() {
    (ulimit -f 64 && host-tools/setup/cpu_cores "$stand_ins/venv")
}
expect 2 "File too large" no_room
expect 2 "setup-cpu: cannot make $stand_ins/typescript/venv: Error: [Errno 20] Not a directory" \
    host-tools/setup/cpu_cores "$stand_ins/typescript/venv"
