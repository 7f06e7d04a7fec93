# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# A desk of boards that are not there: `source tests/host-tools/flash_desk.bash NAME`, in the tree's folder. A folder of the test's
# own, $desk; a USB bus (umockdev); programmers on PATH that are imitated; consoles that answer as the flash of their board says.
# Each run has a bus of its own, as in a container, unless the test has called begin_bus before: then all have one.
# shellcheck source=tests/host-tools/usb_bus.bash
source tests/host-tools/usb_bus.bash
desk=$(mktemp -d "${TMPDIR:-/tmp}/postroad-$1.XXXXXX")
export XDG_RUNTIME_DIR=$desk/run FAKE_BOARDS=$desk/boards TMPDIR=$desk/tmp FAKE_TTYS=$desk/ttys
mkdir -p "$desk/run" "$desk/ttys" "$desk/boards" "$desk/tmp" "$desk/bin" "$desk/logs"
chmod 700 "$desk/run"
faults=0
postroad=build/postroad
for program in iceprog openFPGALoader; do
    ln -s "$PWD/build/tests/host-tools/imitate" "$desk/bin/$program"
done

tidy_up() {
    [ -z "${consoles:-}" ] || { kill "$consoles"; wait "$consoles"; } 2>/dev/null
    chmod -R u+w "$desk"
    rm -rf "$desk"
}
trap tidy_up EXIT

fault() {
    echo "FAULT: $1"
    faults=$((faults + 1))
}

# await_text FILE TEXT: until the file has it, a regular expression; half a minute at most.
await_text() {
    local tries
    for ((tries = 0; tries < 600; tries++)); do
        if grep -q -- "$2" "$1" 2>/dev/null; then return; fi
        sleep 0.05
    done
    fault "nothing like '$2' in $1"
}

desk_port() { echo 1-$(($1 / 4 + 1)).$(($1 % 4 + 1)); }

# desk_device NUMBER USB-IDS CONSOLE-INTERFACE
desk_device() {
    local ttys=("ttyUSB$1")
    [ "$3" = 0 ] || ttys=(- "ttyUSB$1")
    usb_device "$(desk_port "$1")" "$2" 1 "$(printf '%03d' $(($1 + 8)))" - 'a board' "${ttys[@]}"
}

# boards_on_desk TYPE USB-IDS SIZE COUNT [CONSOLE-INTERFACE]: a testbed of COUNT boards b0, b1, ... of a grid, four at a hub, the
# numbers on USB from 8 on, and their consoles.
boards_on_desk() {
    local type=$1 ids=$2 size=$3 count=$4 interface=${5:-0} k port names=()
    printf '[mesh]\ntopology = grid\nsize = %s\n[links]\nboard = yes\n[buffers]\nmax_packet = 56\n' "$size" >"$desk/grid.mesh"
    head -c 100001 build/postroad >"$desk/top.bin"
    printf '[testbed]\nmesh = grid.mesh\n' >"$desk/testbed.ini"
    for ((k = 0; k < count; k++)); do
        port=$(desk_port "$k")
        printf '[board b%d]\ntype = %s\nsite = %d\npath = %s\nbitstream = top.bin\n' "$k" "$type" "$k" "$port" >>"$desk/testbed.ini"
        desk_device "$k" "$ids" "$interface" >"$desk/device-$k"
        mkdir "$desk/boards/1-$((k + 8))"
        names+=("1-$((k + 8))")
        ln -s "../boards/1-$((k + 8))/tty" "$desk/ttys/ttyUSB$k"
    done
    plug_in "$count"
    start_consoles "${names[@]}"
}

desk_hubs() {
    local k
    for ((k = 0; k < 4; k++)); do usb_hub 1-$((k + 1)) 1 $((k + 2)); done
}

# plug_in COUNT: the bus has the first boards. Each device costs a look at the bus a while, as umockdev has it.
plug_in() {
    local k
    desk_hubs >"$desk/bus"
    for ((k = 0; k < $1; k++)); do cat "$desk/device-$k"; done >>"$desk/bus"
}

# start_consoles BUS-DEVICE...
start_consoles() {
    : >"$desk/ready"
    mkfifo "$desk/consoles"
    build/tests/host-tools/imitate consoles "$desk/grid.mesh" "$desk/boards" "$@" <>"$desk/consoles" >"$desk/ready" &
    consoles=$!
    await_text "$desk/ready" ready
}

# on_desk COMMAND...: with the desk's USB bus, consoles and programmers.
on_desk() {
    if [ -n "${preload:-}" ]; then
        PATH=$desk/bin:$PATH LD_PRELOAD=$PWD/build/tests/host-tools/real_ttys.so:$preload "$@"
    else
        on_own_bus "$@"
    fi
}

on_own_bus() {
    # shellcheck disable=SC2016  # the inner shell's
    PATH=$desk/bin:$PATH umockdev-run --device "$desk/bus" -- bash -c 'LD_PRELOAD=$0:$LD_PRELOAD exec "$@"' \
        "$PWD/build/tests/host-tools/real_ttys.so" "$@"
}

# flash STATUS ARGUMENT...: postroad flash; what it prints is in $desk/out and $desk/err.
flash() {
    local wanted=$1 status=0
    shift
    on_desk timeout 100 "$postroad" flash "$desk/testbed.ini" "$@" >"$desk/out" 2>"$desk/err" </dev/null || status=$?
    [ $status = "$wanted" ] || fault "flash $*: exit status $status, expected $wanted: $(tail -n 12 "$desk/err" | tr '\n' ';') $(tail -n 40 "$desk/out")"
    [ -z "$(ls -A "$desk/tmp")" ] || fault "flash $* leaves files: $(ls "$desk/tmp")"
}

# in_output FILE TEXT: a regular expression.
in_output() {
    grep -Eq -- "$2" "$desk/$1" || fault "nothing like '$2' in $1: $(tail -n 12 "$desk/$1")"
}

# strike BOARD-NUMBER FAULT...: see imitate/role_programmer.c; none: heals it.
strike() {
    local file=$desk/boards/1-$(($1 + 8))/fault
    shift
    rm -f "$file"
    [ $# = 0 ] || echo "$*" >"$file"
}

# console_fault BOARD-NUMBER [KIND]
console_fault() {
    rm -f "$desk/boards/1-$(($1 + 8))/console"
    [ $# = 1 ] || echo "$2" >"$desk/boards/1-$(($1 + 8))/console"
}

# calls_of BOARD-NUMBER: how often its programmer was called.
calls_of() {
    wc -l 2>/dev/null <"$desk/boards/1-$(($1 + 8))/calls" || echo 0
}
