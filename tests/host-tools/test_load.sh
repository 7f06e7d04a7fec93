#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# postroad load: what it refuses, and that nothing has changed then; sites on a core and under QEMU that run another image while
# the others go on; images that crash, end at once, hang or never sleep, at `up` too, and what puts them right; listeners;
# resets after a load.
# needs: firmware-library
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash load
export PKG_CONFIG_PATH=$PWD/build/pkgconfig
mesh=hw/mesh/grid-4x4.mesh

# application NAME TEXT [LDFLAGS]: TEXT, a main.c, becomes $directory/NAME/echo.elf.
application() {
    mkdir "$directory/$1"
    cp firmware/apps/echo/Makefile "$directory/$1/"
    printf '%s\n' "$2" >"$directory/$1/main.c"
    make --silent -C "$directory/$1" LDFLAGS="${3:-}" >"$directory/log" 2>&1 || fault "$1: $(cat "$directory/log")"
}

# patched NAME OFFSET BYTES: the example with other bytes there.
patched() {
    cp "$echo" "$directory/$1.elf"
    printf '%b' "$3" | dd of="$directory/$1.elf" bs=1 seek="$2" conv=notrunc status=none
}

build_images() {
    application echo "$(cat firmware/apps/echo/main.c)"
    echo=$directory/echo/echo.elf
    application large '#include "platform/node_program.h"
static volatile uint32_t large[20000];
int main(void) { large[pr_node_start()->op.common.here.sites] = 1; for (;;) ; }' -Wl,--defsym=__site_ram=262144
    application ends '#include "platform/platform.h"
int main(void) { pr_platform_end(7, "no wish to go on"); }'
    application hangs 'int main(void) { for (;;) ; }'
    application traps '#include "platform/node_program.h"
int main(void) { pr_node_start(); __asm__ volatile("ecall"); for (;;) ; }'
    application early 'int main(void) { __asm__ volatile(".word 0"); for (;;) ; }'
    application polls '#include "platform/node_program.h"
int main(void) { for (struct pr_node *node = pr_node_start();;) pr_node_poll(node); }'
    patched entry $((0x18)) '\x04'
    patched compressed $((0x24)) '\x01'
    patched segment $((0x64)) '\xff\xff\xff\x7f'
    patched header $((0x1c)) '\xff\xff\xff\x7f'
    head -c 40 "$echo" >"$directory/short.elf"
    head -c 20000 "$echo" >"$directory/cut.elf"
    mkfifo "$directory/fifo.elf"
}

refuses() {
    expect 1 "$1" "$postroad" load "$2" "$3"
}

check_refusals() {
    refuses 'No such file' 1 "$directory/none.elf"
    refuses 'not a file' 1 "$directory"
    refuses 'not a file' 1 "$directory/fifo.elf"
    refuses 'not an ELF file' 1 README.md
    refuses 'not an ELF file' 1 "$directory/short.elf"
    refuses 'another machine, expected one for RV32I' 1 "$postroad"
    refuses 'not linked to run by itself' 1 build/firmware/objects/firmware/operator/pool.o
    refuses 'damaged' 1 "$directory/cut.elf"
    refuses 'damaged' 1 "$directory/segment.elf"
    refuses 'damaged' 1 "$directory/header.elf"
    refuses 'starts at 0x80000004, expected 0x80000000' 1 "$directory/entry.elf"
    refuses 'more than the cores have .*, expected -march=rv32i' 1 "$directory/compressed.elf"
    refuses 'expected at most the 65536 bytes of RAM' 1 "$directory/large/echo.elf"
    refuses 'unknown site 16, the mesh has sites 0 to 15' 16 "$echo"
    refuses 'named twice' 1,1 "$echo"
    refuses 'expected sites like' '' "$echo"
    refuses 'site 0 runs natively' 0 "$echo"
    refuses 'site 0 runs natively' all "$echo"
    refuses 'site 3 runs natively' 1-3 "$echo"
    expect 1 'expected SITES \[IMAGE\]' "$postroad" load
    expect 1 'expected SITES \[IMAGE\]' "$postroad" load 1 "$echo" "$echo"
    expect 1 'expected a mesh that is up' "$postroad" load 1 "$echo" --gateway "unix:$directory/x"
    expect 2 'not up' "$postroad" load 1 "$echo" --gateway up:other
}

# Nothing has been restarted: epochs are all 0.
nothing_changed() {
    expect 0 '16 of 16 sites answer' "$postroad" map
    if "$postroad" map | grep restarted; then fault "a refused load has restarted a site"; fi
}

# hears SITE SECONDS: the echo of that site comes back to site 0, in reverse.
hears() {
    : >"$directory/listening"
    "$postroad" listen 0 --count 1 --timeout "$2" >"$directory/heard" 2>"$directory/listening" &
    local listener=$!
    await "$directory/listening" listening
    "$postroad" send "$1" --handler 2 --data words:1,2,3 >"$directory/sent" 2>&1
    wait $listener
    grep -q "from $1 .* words:0x3,0x2,0x1$" "$directory/heard"
}

answers() {
    hears "$1" 20 || fault "site $1: $(cat "$directory/sent" "$directory/heard")"
}

# Site 1 under QEMU, 5 on a core; the others talk meanwhile, and one program listens at a site that is loaded.
check_loads() {
    local talker listener before
    start "$directory/heard5" "$postroad" listen 5 --count 1 --timeout 100
    listener=${helpers[-1]}
    await "$directory/heard5" listening
    before=$SECONDS
    "$postroad" send 3,12,15 --count 40 --quiet >"$directory/talk" 2>&1 &
    talker=$!
    expect 0 'loaded: sites 1,5' "$postroad" load 1,5 "$echo"
    [ $((SECONDS - before)) -lt 25 ] || fault "a load takes $((SECONDS - before)) s"
    wait $talker || fault "sites that were not loaded: $(cat "$directory/talk")"
    answers 1
    answers 5
    wait $listener || fault "who listens at a site hears nothing after its load"
    expect 0 'site 1: restarted, epoch 1' "$postroad" map
    expect 0 'loaded: site 5' "$postroad" load 5 build/firmware/node.elf
    expect 0 '"ok":.*true' "$postroad" load 5 "$echo" --json
    expect 0 'site 5: restarted, epoch 3' "$postroad" map
    answers 5
}

check_bad_firmware() {
    local site before
    for site in 1 5; do
        expect 3 "site $site: firmware ended with status 7" "$postroad" load $site "$directory/ends/echo.elf"
        expect 3 "site $site: crashed: .*ecall.* \(mcause 11\) at 0x8.* in main \(.*/traps/main.c:2\)" \
            "$postroad" load $site "$directory/traps/echo.elf"
        expect 0 "loaded: site $site" "$postroad" load $site "$echo"
        answers $site
    done
    # What never sleeps has started nevertheless; what hangs is reported. On a core clocks decide that, not a time-out of 30 s.
    before=$SECONDS
    expect 0 'loaded: sites 1,5' "$postroad" load 1,5 "$directory/polls/echo.elf"
    expect 3 'site 5: hangs: .* in main \(.*/hangs/main.c:1\)' "$postroad" load 5,6 "$directory/hangs/echo.elf"
    [[ $said == *'site 6: hangs'* ]] || fault "only one of two sites that hang is named: $said"
    expect 3 'site 5: hangs: .* now at 0x800000.. in __start' "$postroad" load 5 "$directory/early/echo.elf"
    expect 0 'loaded: sites 1,5-6' "$postroad" load 1,5,6 "$echo"
    [ $((SECONDS - before)) -lt 60 ] || fault "four loads take $((SECONDS - before)) s"
    expect 5 'no answer within 1 s' "$postroad" load 1,5 "$directory/hangs/echo.elf" --timeout 1
    expect 0 'delivered' "$postroad" send 3,12
    expect 0 'loaded: sites 1,5' "$postroad" load 1,5 "$echo"
    answers 5
}

# A guest that hangs stops a mesh in quanta; another image sets it going. A reset starts what was loaded.
# The mesh's clock goes on while there are packets. False: site 2 was not reset since it was loaded.
is_reset() {
    "$postroad" ping 15 --count 1000 --quiet >/dev/null
    grep -Eq 'site 2: restarted, epoch ([2-9]|..)' <("$postroad" map)
}

check_quantum() {
    expect 0 '^up:' "$postroad" up "$mesh" --name quantum --nodes qemu:1-2,native --quantum 100 --fault reset:2:~300000
    export POSTROAD_GATEWAY=up:quantum
    expect 5 'no answer' "$postroad" load 1 "$directory/hangs/echo.elf" --timeout 1
    expect 0 'loaded: sites 1-2' "$postroad" load 1-2 "$echo"
    answers 1
    within_time is_reset || fault "site 2 is not reset again: $("$postroad" map)"
    cmp -s "$echo" "$directory"/postroad-*/quantum/image-2.elf || fault "no copy of the image is kept"
    # A reset may come between a packet and its echo.
    for _ in {1..5}; do
        if hears 2 4; then break; fi
    done
    grep -q 'from 2 ' "$directory/heard" || fault "site 2 does not run what was loaded after a reset"
    unset POSTROAD_GATEWAY
    expect 0 '' "$postroad" down quantum
}

# A mesh can be started with an ELF as well.
check_up() {
    expect 1 'not an ELF file' "$postroad" up "$mesh" --firmware README.md
    expect 1 'none.hex: cannot be read' "$postroad" up "$mesh" --firmware "$directory/none.hex"
    expect 0 '^up:' "$postroad" up "$mesh" --nodes core:5,qemu:1,native --firmware "$echo"
    answers 5
    answers 1
    expect 0 '' "$postroad" down
    # Sites that crash are named; the mesh is up.
    expect 3 'site 5: crashed: .*ecall.* in main \(.*/traps/main.c:2\)' \
        "$postroad" up "$mesh" --nodes core:5,qemu:1,native --firmware "$directory/traps/echo.elf"
    [[ $said == *'site 1: crashed'*'the mesh is up without these sites'*up:* ]] || fault "up says: $said"
    expect 0 ' 12 .* 1/1 ' "$postroad" ping 12 --count 1
    expect 0 'loaded: sites 1,5' "$postroad" load 1,5 "$echo"
    answers 5
    expect 0 '' "$postroad" down
    # A guest that hangs at its start keeps all others from starting.
    expect 3 'site 1: hangs: .* in main \(.*/hangs/main.c:1\)' \
        "$postroad" up "$mesh" --nodes core:5,qemu:1,native --quantum 100 --firmware "$directory/hangs/echo.elf" --json
    [[ $said == *'"ok":'*false* ]] || fault "up --json says: $said"
    expect 0 '' "$postroad" down
    # An interrupt ends a start that takes long, and leaves nothing.
    "$postroad" up "$mesh" --nodes qemu:1,native --firmware "$directory/hangs/echo.elf" --foreground >"$directory/up" 2>&1 &
    local up=$!
    within_time pgrep -f "^qemu-system-riscv32.*$directory.*/qemu-1\.port" >/dev/null || fault "no QEMU starts"
    sleep 0.5
    kill -INT $up
    wait $up
    if compgen -G "$directory/postroad-*/*" >/dev/null; then fault "files are left after an interrupted start"; fi
}

build_images
check_up
expect 2 'no mesh is up' "$postroad" load 1 "$echo"
expect 0 '^up:' "$postroad" up "$mesh" --nodes qemu:1,2,core:5,6,native
check_refusals
nothing_changed
check_loads
check_bad_firmware
expect 0 '' "$postroad" down
expect 2 'no mesh is up' "$postroad" load 1 "$echo"
check_quantum
if compgen -G "$directory/postroad-*/*" >/dev/null; then fault "files are left after down"; fi
[ $faults = 0 ] && echo "all good"
[ $faults = 0 ]
