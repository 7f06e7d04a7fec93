# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2034,SC2154   # verbs.bash and the tests that source it assign and use some
# From boards in their boxes to a mesh, step by step, with four iCEBreakers whose USB bus (umockdev), programmers and hands are
# imitated: `source tests/host-tools/flow.bash NAME "$@"` in the tree's folder, then `flow`. What runs behind the consoles is up to the
# test that sources it, which defines
#   power_on            the boards start with what $flow/boards/1-N/flash holds; console N (0 to 3) gets the link $flow/live/tty-N
#   pull N, push N      the USB cable of board N
#   loaded, other_firmware  which sites are loaded over the mesh (none: ""), with what, and check_other_firmware, which shows that it runs
#   measure, report         latency at the cables, where there are some to be measured at
# It may set `patience`, seconds that a node may take to answer, and `bitstream`, a file that is flashed in place of the usual one.
# environment: SHOW=yes prints what the verbs print, too

# shellcheck source=tests/host-tools/usb_bus.bash
source tests/host-tools/usb_bus.bash

describe_desk() {
    local k
    usb_hub 1-1 1 2
    for k in 0 1 2 3; do
        usb_device 1-1.$((k + 1)) 0403:6010 1 $((k + 8)) "ib$k" 'iCEBreaker V1.0e' - "ttyUSB$((2 * k + 1))"
    done
    usb_device 1-2 0403:6010 1 12 ib1 'iCEBreaker V1.0e' - ttyUSB9 # where board 1 is plugged in later
}

begin_bus describe_desk "${@:2}"

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash "$1"
helpers=()
flow=$directory
mesh=hw/mesh/grid-2x2.mesh
desk=$flow/desk.ini
log=$flow/postroad-$(id -u)/desk/log
patience=${patience:-5}
bitstream=${bitstream:-}
began=$SECONDS
export FAKE_TTYS=$flow/ttys FAKE_BOARDS=$flow/boards

# shellcheck disable=SC2317  # the trap calls it
end_flow() {
    "$postroad" down --all --quiet 2>/dev/null
    [ ${#helpers[@]} -eq 0 ] || { kill "${helpers[@]}"; wait "${helpers[@]}"; } 2>/dev/null
    tidy_up
}
trap end_flow EXIT

mkdir "$FAKE_TTYS" "$FAKE_BOARDS" "$flow/bin" "$flow/live"
take_away 1-2
ln -s "$PWD/build/tests/host-tools/imitate" "$flow/bin/iceprog"
postroad=$flow/postroad
wrap "$postroad" "$flow/bin"

# Indented, with SHOW=yes.
show() {
    if [ -n "${SHOW:-}" ]; then printf '\n%s\n\n' "$(sed 's/^/    /')"; else cat >/dev/null; fi
}

step() { printf '%3d s  %s\n' $((SECONDS - began)) "$*"; }

# await_long FILE TEXT: as long as a board may take to start.
await_long() {
    local tries
    for ((tries = 0; tries < 20 * patience; tries++)); do
        if grep -Eq -- "$2" "$1" 2>/dev/null; then return; fi
        sleep 0.5
    done
    fault "nothing like '$2' in $1: $(tail -n 5 "$1")"
}

# The consoles of boards that have not been switched on: they answer as the node in the flash would.
imitate_consoles() {
    local k names=()
    for k in 0 1 2 3; do
        mkdir "$FAKE_BOARDS/1-$((k + 8))"
        names+=("1-$((k + 8))")
        ln -s "../boards/1-$((k + 8))/tty" "$FAKE_TTYS/ttyUSB$((2 * k + 1))"
    done
    mkfifo "$flow/consoles"
    build/tests/host-tools/imitate consoles $mesh "$FAKE_BOARDS" "${names[@]}" <>"$flow/consoles" >"$flow/consoles.log" &
    helpers+=($!)
    await "$flow/consoles.log" ready
}

flash_all() { expect 0 "$1" "$postroad" flash "$desk" --hello $((4 * patience)); }

# A load learns how long answers take; the limit of the whole is for one that hangs.
load_sites() {
    local EXPECT_SECONDS=$((400 * patience))
    expect 0 'loaded: [0-9] of [0-9] sites' "$postroad" load "$loaded" "$other_firmware" --timeout $((30 * patience))
    step "load: ${said##*loaded: }"
    check_other_firmware
}

multicast() {
    start "$flow/heard" "$postroad" listen 1-3 --count 3 --timeout $((20 * patience))
    await_long "$flow/heard" listening
    expect 0 'delivered: .*sites 1-3' "$postroad" send 1-3 --data 'three boards' --timeout $((8 * patience))
    wait "${helpers[-1]}" || fault "listen ends with status $?"
    [ "$(grep -c 'three boards' "$flow/heard")" = 3 ] || fault "heard: $(cat "$flow/heard")"
}

# Board 1 loses its supply, and comes back at another port, as another tty, with what its flash holds.
replug() {
    take_away 1-1.2
    pull 1
    await_long "$log" 'site 1: board n1 \(/dev/ttyUSB3\) is gone'
    expect 0 'delivered: .*site 2' "$postroad" send 2 --data 'without one' --timeout $((8 * patience))
    push 1
    ln -s 1-9 "$FAKE_BOARDS/1-12" # its number on the bus is another one
    ln -s "$flow/live/tty-1" "$FAKE_TTYS/ttyUSB9"
    bring_back 1-2
    await_long "$log" 'site 1: answers again: board n1'
}

flow() {
    local k
    export EXPECT_SECONDS=$((40 * patience))
    imitate_consoles
    expect 0 'n3: site 3, icebreaker, serial ib3, port 1-1\.4' "$postroad" enroll $mesh -o "$desk" --scan --type icebreaker
    sed -i '/^path/d' "$desk" # one board will move
    [ -z "$bitstream" ] || sed -i "/^type/a bitstream = $bitstream" "$desk"
    step 'enroll: four boards'
    show <"$desk"
    flash_all '^n3 .* written '
    [ "$(grep -c ' written ' <<<"$said")" = 4 ] || fault "not four boards are written: $said"
    step 'flash: four boards are written'
    grep -E '^(board|n[0-3]) +[0-9s]' <<<"$said" | show
    power_on
    for k in 0 1 2 3; do ln -sfn "$flow/live/tty-$k" "$FAKE_TTYS/ttyUSB$((2 * k + 1))"; done
    step 'the boards are switched on'
    expect 0 '^up:desk$' "$postroad" up "$desk" --hello $((4 * patience))
    step 'up: every board is the site that the file names'
    expect 0 '4 of 4 sites answer, 4 of 4 links are good' "$postroad" map --mesh $mesh --timeout $((8 * patience))
    step 'map: four sites, four cables'
    sed -n '/^grid/,$p' <<<"$said" | show
    [ -z "$loaded" ] || load_sites
    multicast
    step 'a multicast to three boards'
    sort -V "$flow/heard" | grep '^site' | show
    measure
    replug
    expect 0 '4 of 4 sites answer, 4 of 4 links are good' "$postroad" map --timeout $((8 * patience))
    step 'a board was unplugged, and is in the mesh again'
    grep 'board n1' "$log" | show
    expect 0 '^$' "$postroad" down
    flash_all 'n0 .* was right'
    [ "$(grep -c ' was right ' <<<"$said")" = 4 ] || fault "not four boards were right: $said"
    step 'flash again: four boards were right'
    grep -E '^(board|n[0-3]) +[0-9s]' <<<"$said" | show
    report
    [ $faults = 0 ] && echo 'all good'
    [ $faults = 0 ]
}
