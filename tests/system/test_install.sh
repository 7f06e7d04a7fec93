#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `make install`: what is installed works from where it lies, moved, and without the tree: the program runs meshes, and the
# example application, copied elsewhere, builds with one command, is loaded on a core and under QEMU, and answers. Flags of one's
# own; a simulated site that is not installed; DESTDIR; `make uninstall` leaves nothing of it, and what is not its own alone.
# needs: firmware-library host-library
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

tree=$PWD
# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash install
unset PKG_CONFIG_PATH MAKEFLAGS
place=$directory/moved
postroad=$place/bin/postroad

install_and_move() {
    expect 0 "installed in $directory/first" make --no-print-directory install PREFIX="$directory/first"
    mv "$directory/first" "$place"
    cd / || exit 1
}

build_example() {
    cp -r "$place/share/doc/postroad/examples/echo" "$directory/application"
    cd "$directory/application" || exit 1
    expect 2 'postroad-firmware' make
    export PKG_CONFIG_PATH=$place/lib/pkgconfig
    expect 0 '' make
    # Nothing of the tree is read.
    expect 0 'libpostroad.a' make --always-make CFLAGS='-std=c11 -Os -Wall -MMD' LDFLAGS=-Wl,--trace
    { cat ./*.d; make --always-make CFLAGS=-O2 LDFLAGS=-Wl,--trace; } >"$directory/read" 2>&1
    if grep -F "$tree/" "$directory/read" | grep -vF "$directory/"; then fault "the example reads the tree"; fi
    expect 2 "region .flash. overflowed" make --always-make LDFLAGS=-Wl,--defsym=__text_budget=20000
    expect 0 '' make --always-make LDFLAGS=-Wl,--defsym=__text_budget=40856
    expect 2 'none: No such file|none: not found' make --always-make CC="$directory/none"
    expect 0 '' make --always-make
    cd / || exit 1
}

# The host library: the example, copied elsewhere, builds with what is installed alone, and pings a mesh.
build_host_program() {
    cp -r "$place/share/doc/postroad/examples/ping_all" "$directory/ping_all"
    cd "$directory/ping_all" || exit 1
    expect 2 "No package 'postroad'|Package postroad was not found" env -u PKG_CONFIG_PATH make
    expect 0 '' make
    { make --always-make CFLAGS='-std=c11 -Wall -Wextra -Werror -MMD' LDFLAGS=-Wl,--trace; cat ./*.d; } >"$directory/read" 2>&1
    if grep -F "$tree/" "$directory/read" | grep -vF "$directory/"; then fault "the host example reads the tree"; fi
    cd / || exit 1
    expect 0 '^up:|^sim:' "$postroad" up "$place/share/postroad/meshes/grid-4x4.mesh" --name pinged
    expect 0 '^site 15: address 0x183, round trip [0-9]+ clocks$' "$directory/ping_all/ping_all" up:pinged
    [ "$(grep -c '^site ' <<<"$said")" = 16 ] || fault "ping_all: not a line for each of 16 sites"
    expect 0 '' "$postroad" down pinged
    expect 1 'usage' "$directory/ping_all/ping_all"
    expect 2 'pinged' "$directory/ping_all/ping_all" up:pinged
}

# The way from a change to its effect, on a site of this kind.
change_and_see() {
    local began listener seconds
    expect 0 '^up:' "$postroad" up "$place/share/postroad/meshes/grid-4x4.mesh" --nodes "$1:5,native"
    sed -i "s/ECHO_WORDS = [0-9]*/ECHO_WORDS = $2/" "$directory/application/main.c"
    "$postroad" listen 0 --count 1 --timeout 30 >"$directory/heard" 2>/dev/null &
    listener=$!
    began=${EPOCHREALTIME/./}
    expect 0 '' make -C "$directory/application"
    expect 0 'loaded: site 5' "$postroad" load 5 "$directory/application/echo.elf"
    expect 0 'delivered' "$postroad" send 5 --handler 2 --data words:1,2,3,4
    wait $listener || fault "$1: nothing heard"
    seconds=$(((${EPOCHREALTIME/./} - began) / 100000))
    echo "$1: from a change to its effect in $((seconds / 10)).$((seconds % 10)) s"
    [ $seconds -lt 100 ] || fault "$1: not under ten seconds"
    grep -q "from 5 .*: $3\$" "$directory/heard" || fault "$1: $(cat "$directory/heard")"
    expect 0 '' "$postroad" down
}

check_program() {
    expect 0 '"ok"|delivered|lost' "$postroad" sim "$place/share/postroad/meshes/torus-4x4.mesh" --packets 50
    grep '^## postroad sim ' "$place/share/doc/postroad/reference.md" >/dev/null || fault "no reference is installed"
    printf '[mesh]\ntopology = grid\nsize = 2x2\nword_width = 32\n' >"$directory/wide.mesh"
    expect 1 'fabric-cutthrough-32-4-32-64/site.so: not installed, expected .*make install SIM_DEFAULT_SETS=' "$postroad" up \
        "$directory/wide.mesh" --nodes native
    [ -s "$place/share/man/man1/postroad.1" ] || fault "no manual page"
    expect 0 "^$place/bin/postroad\$" env PYTHONPATH="$place/share/postroad/python" PYTHONDONTWRITEBYTECODE=1 python3 -c '
import postroad
print(postroad._program())'
    expect 0 'Postroad packet' env XDG_DATA_DIRS="$place/share:/usr/share" sigrok-cli -P postroad_packet --show
    # shellcheck source=/dev/null
    (source "$place/share/bash-completion/completions/postroad" && complete -p postroad >/dev/null) || fault "no completion"
}

check_uninstall() {
    cd "$tree" || exit 1
    touch "$place/lib/pkgconfig/other.pc"
    expect 0 '' make --no-print-directory uninstall PREFIX="$place"
    [ "$(find "$place" -type f)" = "$place/lib/pkgconfig/other.pc" ] || fault "after uninstall: $(find "$place")"
    expect 0 "installed in $directory/root/opt/x" make --no-print-directory install DESTDIR="$directory/root" PREFIX=/opt/x
    [ -x "$directory/root/opt/x/bin/postroad" ] || fault "DESTDIR is not heeded"
    expect 0 '' make --no-print-directory uninstall DESTDIR="$directory/root" PREFIX=/opt/x
    [ -z "$(find "$directory/root/opt/x" -mindepth 1)" ] || fault "after uninstall: $(find "$directory/root")"
    expect 0 '' make --no-print-directory uninstall PREFIX="$directory/nowhere"
}

# As firmware/README.md has it.
check_tree() {
    expect 0 '' make --always-make -C firmware/apps/echo "PKG_CONFIG_PATH=$tree/build/pkgconfig"
    rm firmware/apps/echo/echo.elf
}

install_and_move
build_example
check_program
build_host_program
change_and_see qemu 3 words:0x3,0x2,0x1
change_and_see core 2 words:0x2,0x1
check_uninstall
check_tree
[ $faults = 0 ] && echo "all good"
[ $faults = 0 ]
