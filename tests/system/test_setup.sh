#!/usr/bin/env bash
# The package set-up: silent when all is there, and clear about what it needs when it cannot install. Nothing is
# installed here: dpkg-query, id and apt-get are stand-ins.
set -euo pipefail
cd "$(dirname "$0")/../.."
packages=host-tools/setup/packages

# expect STATUS TEXT COMMAND...: its exit status, and text that its output must hold.
expect() {
    local wanted=$1 text=$2 status=0 output
    shift 2
    output=$("$@" 2>&1) || status=$?
    if [ "$status" -ne "$wanted" ] || ! grep -qF -- "$text" <<<"$output"; then
        echo "'$*': exit status $status, expected $wanted and '$text' in:"
        echo "$output"
        exit 1
    fi
}

[ -z "$($packages test)" ] || { echo "not silent though this very run has all packages"; exit 1; }
expect 1 "expected demo, qemu or test" $packages everything
expect 1 "usage:" $packages
expect 1 "usage:" host-tools/setup/fpga_tools
expect 2 "make setup-cpu" host-tools/setup/fpga_tools "${TMPDIR:-/tmp}"

stand_ins=$(mktemp -d)
trap 'rm -rf "$stand_ins"' EXIT
stand_in() {
    printf '#!/bin/sh\n%s\n' "$2" >"$stand_ins/$1"
    chmod +x "$stand_ins/$1"
}
for tool in bash dirname awk sed env cat mktemp rm tail; do
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
    *--yes*install*) exit ${APT_STATUS:-0} ;;
esac'
expect 0 "    verilator" with_stand_ins $packages demo
expect 0 "to download: 12.3 MB" with_stand_ins $packages demo
expect 0 "on the disk: 45.6 MB" with_stand_ins $packages demo
expect 2 "could not install verilator" with_stand_ins env APT_STATUS=100 $packages demo
