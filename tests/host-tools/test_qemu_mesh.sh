#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# A 4x4 mesh whose sites run the firmware under QEMU, as a user starts it: map, ping, send in both kinds of time; what a
# guest that stands still, a guest that is killed, and a daemon that is killed do to the others; a mixed mesh; bad input. Nothing
# is left behind, and nobody works while there is nothing to do.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash qemu
mesh=hw/mesh/grid-4x4.mesh

# Processes of this test's guests, all or those of one site.
guests() {
    pgrep -f "^qemu-system-riscv32.*$directory.*/qemu-${1:-[0-9]*}\.port"
}

no_guests() { ! guests >/dev/null; }

# Hundredths of seconds that the guests and the daemon have worked.
work() {
    local pid sum=0 fields
    for pid in $(guests) "$(cat "$directory"/postroad-*/*/pid)"; do
        read -r -a fields < <(sed 's/.*) //' "/proc/$pid/stat")
        sum=$((sum + fields[11] + fields[12]))
    done
    echo $sum
}

bring_up() {
    expect 0 '^up:' "$postroad" up "$mesh" --name guests "$@"
}

take_down() {
    expect 0 '' "$postroad" down --name guests
    if guests >/dev/null; then fault "guests are left after down"; fi
    if compgen -G "$directory/postroad-*/guests*" >/dev/null; then fault "files are left after down"; fi
}

# The id that the nodes report is that of the file; node.elf has its note where the linker script has put it.
check_build_ids() {
    local id
    id=$(riscv64-unknown-elf-readelf -n build/firmware/node.elf | sed -n 's/.*Build ID: //p')
    [ ${#id} = 40 ] || fault "node.elf has no build id: $id"
    [ "$("$postroad" map --json | jq -r '.sites[].build_id' | sort -u)" = "${id:0:16}" ] ||
        fault "not all sites report build id ${id:0:16}"
}

talk() {
    expect 0 '16 of 16 sites answer, 24 of 24 links are good' "$postroad" map
    expect 0 '^ +15 .* 2/2 ' "$postroad" ping all --count 2
    expect 0 'delivered: .* sites 0-15' "$postroad" send all --data text:hello
    expect 0 'delivered: .* sites 0-3' "$postroad" send 0-3 --from 13 --data text:hello
}

nobody_works() {
    rests 20 work
}

check_bad_input() {
    expect 1 'expected native, core or qemu' "$postroad" up "$mesh" --nodes quemu
    expect 1 'expected sites of this mesh' "$postroad" up "$mesh" --nodes qemu:16
    expect 1 'named twice' "$postroad" up "$mesh" --nodes qemu:1-3,native:3
    expect 1 'two kinds without sites' "$postroad" up "$mesh" --nodes qemu,core
    expect 1 'quantum: not with' "$postroad" up "$mesh" --quantum 10
    expect 1 'pool: not with' "$postroad" up "$mesh" --nodes qemu --pool 5
    expect 1 'expected rtl' "$postroad" up "$mesh" --nodes qemu --engine paper
    expect 1 'none.elf' "$postroad" up "$mesh" --nodes qemu --firmware /none.elf
}

check_free() {
    bring_up --nodes qemu --engine rtl
    [ "$(guests | wc -l)" = 16 ] || fault "$(guests | wc -l) guests, expected 16"
    talk
    check_build_ids
    nobody_works
    [ -S "$(echo "$directory"/postroad-*/guests)/qemu-7.gdb" ] || fault "no socket for gdb"
    # One stands still, as in a debugger: the others go on, and it does when it is let.
    kill -STOP "$(guests 5)"
    expect 0 'delivered: .* sites 0-3,15' "$postroad" send 0-3,15 --data text:go
    kill -CONT "$(guests 5)"
    expect 0 'delivered: .* site 5' "$postroad" send 5 --data text:go
    kill -KILL "$(guests 5)"
    expect 4 'failed|given up' "$postroad" send 4,5,6 --data text:go
    expect 5 '/guests/log may show why site 5 does not answer' "$postroad" map --from 5 --timeout 1
    expect 0 'site 5: its QEMU was ended by signal 9' cat "$directory"/postroad-*/guests/log
    take_down
}

check_quantum() {
    bring_up --nodes qemu --quantum 200
    talk
    nobody_works
    # One stands still: so do all, but the daemon listens.
    kill -STOP "$(guests 5)"
    expect 5 'no answer|not known' "$postroad" send 5 --data text:go --timeout 1
    kill -CONT "$(guests 5)"
    expect 0 'delivered' "$postroad" send 5 --data text:go
    kill -STOP "$(guests 6)"
    expect 5 '' "$postroad" ping 6 --count 1 --timeout 1
    take_down
}

check_mixed() {
    bring_up --nodes qemu:0-3,9,native:4-7,10 --quantum 100
    [ "$(guests | wc -l)" = 5 ] || fault "$(guests | wc -l) guests, expected 5"
    talk
    # The daemon dies: so do its guests.
    kill -KILL "$(cat "$directory"/postroad-*/guests/pid)"
    within_time no_guests || fault "guests outlive the daemon"
    take_down
}

check_bad_input
check_free
check_quantum
check_mixed
[ $faults = 0 ] && echo "all good"
[ $faults = 0 ]
