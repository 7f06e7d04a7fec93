#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 200 s
# The stack of each small image (firmware/small) on a core, at its deepest while it does all that it can, fits the bytes that the
# image leaves for it, with an eighth to spare. One image is drawn by SEED; LONG: all.
# needs: build/firmware/small-stack-reliable.hex build/firmware/small-stack-receiver.hex build/firmware/small-stack-raw.hex
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash stack
images=build/firmware
printf '[mesh]\ntopology = grid\nsize = 2x2\n[buffers]\nmax_packet = 56\n[site]\nram_bytes = 8192\n' >"$directory/small.mesh"

# symbol IMAGE NAME
symbol() {
    echo $((16#$(riscv64-unknown-elf-nm "$images/small-stack-$1.elf" | awk -v name="$2" '$3 == name { print $1 }')))
}

# check_stack IMAGE OPTION...: the image at site 3; `options` asks its counters.
check_stack() {
    local image=$1 free used limit
    expect 0 '' $postroad up "$directory/small.mesh" --name stack --quiet --firmware $images/small-stack-$image.elf "${@:2}"
    if [ $image != reliable ]; then
        start "$directory/listen" $postroad listen 3 --count 10 --timeout 10
        await "$directory/listen" 'listening at'
    fi
    for site in 0 1 2; do
        $postroad send 0-3 --from $site --count 10 --data words:1,2,3,4 --timeout 30 --quiet >/dev/null 2>&1
    done
    $postroad map --quiet >/dev/null 2>&1
    $postroad map --from 3 --quiet >/dev/null 2>&1
    $postroad ping 3 -c 2 >/dev/null 2>&1
    $postroad ping 3 -c 1 --words 30 >/dev/null 2>&1
    $postroad send 3 --from 0 --handler 3 >/dev/null 2>&1
    if [ $image != reliable ]; then wait "${helpers[-1]}"; fi
    free=$($postroad stats 3 "${options[@]}" --json --quiet | grep -o '"targets_failed":[[:space:]]*[0-9]*' |
        grep -o '[0-9]*$')
    limit=$(symbol $image __stack_size)
    used=$(($(symbol $image __stack) - $(symbol $image __bss_end) - 4 * ${free:-0}))
    echo "$image: $used of $limit bytes of stack used"
    [ "${free:-0}" -gt 0 ] || fault "$image: nothing was measured"
    [ $used -gt 64 ] || fault "$image: $used bytes can not be all"
    [ $used -le $((limit * 7 / 8)) ] || fault "$image: more than seven eighths of the stack"
    expect 0 '' $postroad down
}

# check_drawn TURN IMAGE OPTION...
check_drawn() {
    [ -z "${LONG:-}" ] && [ $((${SEED:-1} % 3)) != "$1" ] || check_stack "${@:2}"
}

options=()
check_drawn 0 reliable --nodes native:0-2,core:3 --fault corrupt:0.001
check_drawn 2 raw --reliable 0
options=(--from 3)
check_drawn 1 receiver --nodes native:0-2,core:3 --fault corrupt:0.001
echo "$faults faults"
[ "$faults" = 0 ]
