#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# postroad gdb: symbols and queues of a site under QEMU; what its standing still does to the others, in free time, in free time
# with --halt-mesh, and in quanta; and what is no site to debug.
# needs: firmware-library
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash gdb
export HOME=$directory
mesh=$directory/small.mesh
run=$directory/postroad-$(id -u)/debugged

says() {
    grep -Eq -- "$1" <<<"$said" || fault "nothing like '$1' from: $said"
}

# qemu_of SITE: its process.
qemu_of() {
    pgrep -f "^qemu-system-riscv32.*$directory.*/qemu-$1\.port"
}

bring_up() {
    expect 0 '^up:' $postroad up "$mesh" --name debugged --quiet "$@"
}

take_down() {
    expect 0 '' $postroad down debugged
    if [ -e "$run" ]; then fault "files are left after down"; fi
}

# In gdb's shell: sends to all in the background. What it says is in $directory/sent, its exit status at the end.
send_all="rm -f $directory/sent; (timeout 30 $postroad send 1-3 --count 20 >$directory/sent.new 2>&1; \
    echo status \$? >>$directory/sent.new; mv $directory/sent.new $directory/sent) & sleep 2"
state="if [ -e $directory/sent ]; then echo sent; else echo not sent yet; fi"

await_sent() {
    within_time test -e "$directory/sent"
    said=$(cat "$directory/sent" 2>&1)
    says "$1"
}

# The mesh waits for a guest that stands still: what was accepted meanwhile is delivered afterwards.
mesh_waits() {
    expect 0 'not sent yet' $postroad gdb 3 "$@" -- -batch -ex "shell $send_all; $state"
    await_sent '^status 0$'
}

check_bad_input() {
    expect 2 'no mesh is up' $postroad gdb 3
    bring_up --nodes native:0,qemu:1-3
    expect 1 'no site 4' $postroad gdb 4
    expect 1 'site 0 has no QEMU' $postroad gdb 0
    expect 1 'expected a site number' $postroad gdb three
    expect 1 'expected SITE' $postroad gdb
    expect 1 'no such option' $postroad gdb 3 --batch
    expect 1 'apt-get install gdb-multiarch' env PATH=/none $postroad gdb 3
    expect 1 'expected a mesh that is up' $postroad gdb 3 --gateway unix:/none
    take_down
}

check_free() {
    bring_up --nodes qemu
    expect 0 'site = 3' $postroad gdb 3 -- -batch -ex 'printf "site = %u\n", node.op.common.here.identity->site' \
        -ex postroad-queues -ex 'postroad-packet node.op.common.pool.memory' \
        -ex "shell $postroad ping 2 --count 2" -ex "shell $postroad gdb 3" \
        -ex "shell $postroad send 1-3" -ex 'info symbol deliver' \
        -ex 'tbreak pr_node_poll' -ex delete
    says 'site 3: pool of [0-9]+ buffers: [0-9]+ free, [0-9]+ posted'
    says 'queue, packets of others'
    says 'window, own packets 0 to 0'
    says 'packet 0x8000[0-9a-f]+: [0-9]+ target words'
    says ' +2 .* 2/2 '                          # the others go on
    says 'a debugger is attached already'
    says 'failed|given up'                      # who sends to the site that stands still is told
    says 'deliver.* in section'
    says 'Temporary breakpoint 1 at'             # inlined as it is
    await "$run/log" '^site 3: stands still in a debugger, and the others go on, at clock'
    await "$run/log" '^site 3: the debugger has gone, at clock'
    expect 0 'delivered: .* sites 1-3' $postroad send 1-3
    # Sources are found from everywhere.
    expect 0 'uint32_t pr_mmio_read' env --chdir=/ "$PWD/$postroad" gdb 3 -- -batch -ex 'list pr_mmio_read'
    # A breakpoint is hit by what another site does.
    expect 0 'Breakpoint 1, ' timeout 20 $postroad gdb 2 -- -batch -ex 'break deliver' \
        -ex "shell (sleep 0.5; $postroad ping 2 --count 1) >/dev/null 2>&1 &" -ex continue \
        -ex backtrace -ex 'postroad-packet arrival->packet'
    says '#[0-9] .*operator_poll'
    says 'if it is data: from site 0, sequence [0-9]+, handler 255'
    expect 0 ' +2 .* 1/1 ' $postroad ping 2 --count 1
    check_editor
    mesh_waits --halt-mesh
    await "$run/log" '^site 3: stands still in a debugger, and the mesh waits for it, at clock'
    # One comes right behind another.
    for halt in --halt-mesh '' --halt-mesh; do
        expect 0 '' $postroad gdb 3 $halt -- -batch
    done
    within_time has_come 3 || fault "not each debugger was noticed: $(cat "$run/log")"
    take_down
}

# How many have come with --halt-mesh.
has_come() { [ "$(grep -c '^site 3: .*, and the mesh waits for it' "$run/log")" = "$1" ]; }

# The operator is found in a handler, too, which has a `node` of its own.
check_application() {
    bring_up --nodes qemu:2,native
    cp -r firmware/apps/echo "$directory/echo"
    expect 0 '' make --silent -C "$directory/echo" PKG_CONFIG_PATH="$PWD/build/pkgconfig" LDFLAGS=
    expect 0 'loaded: site 2' $postroad load 2 "$directory/echo/echo.elf"
    expect 0 'Breakpoint 1, echo ' timeout 20 $postroad gdb 2 -- -batch -ex 'break echo' \
        -ex "shell (sleep 0.5; $postroad send 2 --handler 2 --data words:1) >/dev/null 2>&1 &" -ex continue -ex postroad-queues
    says 'site 2: pool of [0-9]+ buffers'
    take_down
}

# What an editor starts by launch.json speaks gdb's machine interface, and has found the site.
check_editor() {
    local editor=firmware/apps/echo/.vscode
    [ -x "$editor/$(sed -nE 's|.*"miDebuggerPath": ".*/\.vscode/(.*)",|\1|p' $editor/launch.json)" ] ||
        fault "launch.json names no debugger in $editor"
    mkdir -p "$directory/bin"
    ln -sf "$PWD/$postroad" "$directory/bin/postroad"
    sed 's/gdb 5/gdb 3/' $editor/site-5 >"$directory/site-3"
    chmod +x "$directory/site-3"
    expect 0 'state="stopped"' env PATH="$directory/bin:$PATH" \
        bash -c "printf '%s\n' -thread-info -gdb-exit | timeout 20 $directory/site-3 --interpreter=mi"
}

check_quantum() {
    local log=$run/log qemu
    bring_up --nodes qemu --quantum 200
    mesh_waits
    # Where a QEMU hangs that a gdb has been at is looked for through the same server. That leaves no guest halted.
    qemu=$(qemu_of 3)
    kill -STOP "$qemu"
    expect 5 '' $postroad ping 3 --count 1 --timeout 0.5
    await "$log" '^site 3: hangs: neither'
    kill -CONT "$qemu"
    expect 0 ' 3 .* 1/1 ' $postroad ping 3 --count 1
    expect 0 '^site 3: hangs: neither its firmware nor its QEMU answers' cat "$log"
    says '^site 3: hangs no longer'
    take_down
}

# A gdb that kills its guest has ended the site. gdb may be gone long before: its QEMU is held here for so long.
check_kill() {
    local qemu
    bring_up --nodes qemu:3,native
    qemu=$(qemu_of 3)
    # gdb may meet the end of the connection before the answer: its own exit status does not matter here.
    $postroad gdb 3 -- -batch -ex "shell kill -STOP $qemu" -ex kill >"$directory/kill" 2>&1
    await "$run/log" '^site 3: the debugger has gone, at clock'
    if grep -Eq 'goes on|^site 3: (ended|its QEMU)' "$run/log"; then fault "too early: $(cat "$run/log")"; fi
    kill -CONT "$qemu"
    await "$run/log" '^site 3: (ended|its QEMU)'
    expect 5 '' $postroad ping 3 --count 1 --timeout 0.5
    take_down
}

printf '[mesh]\nfabric=cutthrough\ntopology=grid\nsize=2x2\nword_width=16\n' >"$mesh"
check_bad_input
check_free
check_application
check_quantum
check_kill
[ $faults = 0 ] && echo "all good"
[ $faults = 0 ]
