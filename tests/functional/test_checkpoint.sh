#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Checkpoints of a run in one process: a run that goes on from one prints what an undisturbed one does, whenever it was taken,
# with each service and kind of traffic. What is no checkpoint of this run, this program and this user is refused. A checkpoint
# that cannot be written leaves the one before it.
# usage: test_checkpoint.sh [quick]
#   quick: only as much as a planted bug needs
# time limit: 120 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
# shellcheck source=tests/functional/checkpoint.bash
source tests/functional/checkpoint.bash
quick=${1:-}

# killed EVERY: runs until there is a checkpoint, which is an early one, and is killed.
killed() {
    local process
    rm -rf "$folder"
    (on 1 "${arguments[@]}" --checkpoint "$folder,every=$1") &
    process=$!
    while [ ! -e "$folder/manifest" ] && kill -0 $process 2>/dev/null; do sleep 0.01; done
    kill -KILL $process 2>/dev/null
    wait $process 2>/dev/null
}

# words A B: how many 64-bit words of run memory differ in two checkpoints of one clock.
words() {
    local header=112 # checkpoint_part.c
    cmp -l -i $header "$1"/part-* "$2"/part-* | awk '{ words[int(($1 - 1) / 8)] } END { print length(words) }'
}

check_clocks() {
    local every
    undisturbed 0 hw/mesh/grid-4x4.mesh --load 0.3 --multicast 0.3 --packets 4000 --reliable 0
    for every in 64 700 5003; do
        with_checkpoints 1 $every
        resumed 1
    done
    for every in 64 1000; do
        killed $every
        resumed 1
    done
    # On from what went on.
    killed 64
    resumed 1 --checkpoint "$folder,every=1500"
    resumed 1 --checkpoint "$folder"
}

# A run that ends badly, from a checkpoint of a time in which nothing moved any more.
check_bad_end() {
    undisturbed 6 hw/mesh/grid-8x8.mesh --reliable 0 --load 1 --multicast 1 --targets 8 --pool 3 --window 3
    with_checkpoints 1 1000
    resumed 1
}

# A pointer out of run memory differs from process to process. Only the processor time at the start may.
check_addresses() {
    with_checkpoints 1 2000
    mv "$folder" "$work/first"
    with_checkpoints 1 2000
    cmp "$work/first/manifest" "$folder/manifest" >"$work/log" 2>&1
    [ "$(words "$work/first" "$folder")" -le 1 ] ||
        fail "$(words "$work/first" "$folder") words of two equal checkpoints differ, expected the processor time alone"
    rm -rf "$work/first"
}

check_traffic() {
    undisturbed 0 hw/mesh/grid-4x4.mesh --reliable 1 --ordered --load 0.2 --multicast 0.5 --info 1 --stall 20 --packets 2000 \
        --operator-clocks receive=30,send=20,handler=50
    with_checkpoints 1 900
    resumed 1
    undisturbed 0 hw/mesh/torus-4x4.mesh --load 0.2 --packets 2000 --model outputs=all,m11=no --length geometric:5 \
        --process bursty:4
    with_checkpoints 1 900
    resumed 1
    undisturbed 0 hw/mesh/january-4x4.mesh --load 0.1 --multicast 0.2 --packets 2000
    with_checkpoints 1 900
    resumed 1
    undisturbed 4 hw/mesh/january-4x4.mesh --load 0.2 --multicast 0.2 --packets 2000 --fault corrupt:0.005 \
        --fault reset:any:~2000 --fault stop:any:~2000:300 --fault link:any:~2000:300
    with_checkpoints 1 900
    resumed 1
    undisturbed 4 hw/mesh/grid-4x4.mesh --groups 3 --members 6 --shape gt-order --load 0.03 --packets 500 --joins 2 \
        --fault corrupt:0.001 --fault reset:any:3000
    with_checkpoints 1 900
    resumed 1
    for ((i = 0; i < 200; i++)); do echo "$((i * 3)) $((i % 16)) $(((i * 7 + 3) % 16)) 8 after $((i - 1))"; done |
        sed '1s/ after.*//' >"$work/trace"
    undisturbed 0 hw/mesh/hypercube-4.mesh --traffic "trace:$work/trace"
    with_checkpoints 1 1500
    rm "$work/trace"
    resumed 1
}

# damaged TEXT COMMAND...: the command changes a copy of the checkpoint, which is refused then. PART, MANIFEST: its files.
damaged() {
    local text=$1 part
    shift
    rm -rf "$work/whole"
    cp -a "$folder" "$work/whole"
    part=$(echo "$folder"/part-*)
    "${@/#PART/$part}" >"$work/log" 2>&1 || fail "$*: $(cat "$work/log")"
    refused "$text" 1 --resume "$folder"
    rm -rf "$folder"
    mv "$work/whole" "$folder"
}

# flip FILE OFFSET: changes one bit.
flip() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    # shellcheck disable=SC2059  # an escape sequence
    printf "$(printf '\\x%x' $((byte ^ 4)))" | dd of="$1" bs=1 seek="$2" conv=notrunc
}

# foreign: a copy of the program that has another build ID, as another build would.
foreign() {
    local offset
    cp "$postroad" "$work/postroad"
    offset=$(readelf -SW "$postroad" | awk '/build-id/ { sub(/.*build-id/, ""); print $3 }')
    flip "$work/postroad" $((16#$offset + 20))
}

check_files() {
    local own=$postroad
    damaged 'damaged: the checksum' flip PART 100000
    damaged 'no checkpoint, or a damaged one' flip PART 70
    damaged 'cut off' truncate -s 200000 PART
    damaged 'cut off' truncate -s 10 PART
    damaged 'missing' rm PART
    damaged 'damaged, expected clock' sed -i s/clock/clocks/ "$folder/manifest"
    damaged 'parts of different runs' sed -i 's/^sum = ./&1/' "$folder/manifest"
    damaged 'a checkpoint of 3 ranks' sed -i 's/^ranks = 1/ranks = 3/' "$folder/manifest"
    damaged 'no manifest' rm "$folder/manifest"
    damaged 'no such folder' rm -r "$folder"
    damaged 'mode 0620' chmod 620 PART
    damaged 'mode 0602' chmod 602 "$folder/manifest"
    damaged 'mode 0770' chmod 770 "$folder"
    damaged 'a symbolic link' bash -c 'mv "$0" "$0.old" && ln -s "$0.old" "$0"' PART
    [ "$(id -u)" != 0 ] || damaged 'of user 12345' chown 12345 PART
    foreign >"$work/log" 2>&1 || fail "another build ID: $(cat "$work/log")"
    postroad=$work/postroad
    refused 'another build' 1 --resume "$folder"
    postroad=$own
    resumed 1
}

check_options() {
    local mesh=hw/mesh/grid-4x4.mesh
    refused 'options of output alone' 1 --resume "$folder" --load 0.2
    refused 'options of output alone' 1 --resume "$folder" $mesh
    refused "has a checkpoint" 1 $mesh --engine functional --checkpoint "$folder"
    refused 'expected --engine functional' 1 $mesh --checkpoint "$work/new"
    refused 'expected native nodes' 1 $mesh --engine functional --nodes qemu --checkpoint "$work/new"
    refused 'expected one load' 1 $mesh --engine functional --load 0.1:0.2:0.1 --checkpoint "$work/new"
    refused 'every=' 1 $mesh --engine functional --checkpoint "$work/new,every=0"
    refused 'every=' 1 $mesh --engine functional --checkpoint ''
    refused 'expected FILE.mesh' 1 --engine functional
    refused 'Not a directory' 1 $mesh --engine functional --checkpoint "$err/new"
}

# The disk is full, as it were, for what comes after the first checkpoint.
check_full() {
    local left status=0
    undisturbed 0 hw/mesh/grid-4x4.mesh --load 0.3 --packets 4000
    killed 500
    cp "$folder/manifest" "$work/manifest"
    (ulimit -f 100; on 1 --resume "$folder" --checkpoint "$folder,every=500") || status=$?
    [ $status = 2 ] || fail "no room for checkpoints: exit code $status, expected 2"
    same 'no room for checkpoints'
    grep -q "$folder/part-.*: File too large (the run goes on; an earlier checkpoint stays)" "$err" ||
        fail "no room for checkpoints: $(cat "$err")"
    cmp "$folder/manifest" "$work/manifest" || fail 'no room for checkpoints: the manifest has changed'
    left=("$folder"/*)
    [ ${#left[@]} = 2 ] || fail "no room for checkpoints: left ${left[*]}, expected manifest and one part"
    resumed 1
}

# A signal ends the run with a checkpoint.
check_signal() {
    local process status=0
    undisturbed 0 hw/mesh/grid-8x8.mesh --load 0.2 --packets 20000
    rm -rf "$folder"
    (on 1 "${arguments[@]}" --checkpoint "$folder,every=100000000") &
    process=$!
    while [ ! -e "$folder" ] && kill -0 $process 2>/dev/null; do sleep 0.01; done
    sleep 0.1
    kill -TERM $process
    wait $process || status=$?
    [ $status = 130 ] || fail "a signal: exit code $status, expected 130"
    grep -q "goes on .* postroad sim --resume $folder\$" "$err" || fail "a signal: $(cat "$err")"
    resumed 1
}

check_clocks
check_addresses
check_files
check_bad_end
[ "$quick" = quick ] && finish && exit
check_options
check_traffic
check_full
check_signal
finish
