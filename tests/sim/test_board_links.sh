#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 600 s
# Meshes whose links are board links in RTL ([links] board = yes): everything arrives exactly once, as with wires, under bit
# errors, pulled cables and resets, with both services, on every topology; a link carries a word in PR_LINK_WORD_CLOCKS.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
directory=$(mktemp -d "${TMPDIR:-/tmp}/postroad-links.XXXXXX")
trap 'rm -rf "$directory"' EXIT
out=$directory/out err=$directory/err
quick=(--quiet --json)

# mesh NAME SHAPE [KEY...]: a .mesh file of board links.
mesh() {
    printf '[links]\nboard = yes\n[mesh]\n%b\n' "$2" >"$directory/$1.mesh"
}

mesh grid 'topology = grid\nsize = 3x3'
mesh torus 'topology = torus\nsize = 3x2'
mesh cube 'topology = hypercube\ndimensions = 3'
mesh pair 'topology = grid\nsize = 2x1'
mesh cores 'topology = grid\nsize = 2x1\n[site]\ncpu = vexriscv'

multicasts=(--load 0.002 --packets 150 --multicast 0.4 --targets 2:4)
for shape in grid torus cube; do
    for reliable in 0 1; do
        run 0 "$directory/$shape.mesh" "${quick[@]}" "${multicasts[@]}" --reliable $reliable
        expect_exactly_once
    done
done

for fault in corrupt:0.003 'link:any:~40000:10000'; do
    run 0 "$directory/grid.mesh" "${quick[@]}" "${multicasts[@]}" --fault "$fault"
    expect_exactly_once
done
run 0 "$directory/grid.mesh" "${quick[@]}" "${multicasts[@]}" --fault corrupt:0.003
[ "$(value corrupted_words)" -gt 0 ] || fail "no bit error hit a line"

# A site that restarts loses what only it had: nothing twice, nothing wrong, and the sources report the rest.
"$postroad" sim --seed "$seed" "$directory/grid.mesh" "${quick[@]}" "${multicasts[@]}" --fault 'reset:any:~60000:40' \
    >"$out" 2>"$err"
status=$?
[[ $status == [04] ]] || fail "resets: exit code $status, expected 0 or 4: $(cat "$err")"
for key in lost duplicated corrupted stray; do expect 0 $key; done

# A saturated link: words of one site to the other, one after the other.
run 0 "$directory/pair.mesh" "${quick[@]}" --load 0.01 --packets 200 --length 100 --reliable 0 --traffic neighbour
expect_exactly_once
clocks_a_word=$(python3 -c "import json
run = json.loads(open('$out').read().splitlines()[-1])
print(round(2 * (run['clocks'] - run['warmup_clocks']) / run['link_words'], 2))")
# An empty frame follows each terminator: 108 frames for the 107 words of a packet.
python3 -c "import sys; sys.exit(not 144 <= $clocks_a_word < 1.1 * 144)" ||
    fail "a word took $clocks_a_word clocks, expected 144 and little more"

# The firmware's image on cores.
run 0 "$directory/cores.mesh" "${quick[@]}" --nodes core --load 0.0005 --packets 20
expect_exactly_once

# Where nothing moves, time stands still; it goes on when the host asks for something.
"$postroad" up "$directory/pair.mesh" --nodes native --quiet --name links-test >"$out" 2>"$err" || fail "up: $(cat "$err")"
sleep 1
for try in first second; do
    "$postroad" ping 1 --count 1 --gateway up:links-test >"$out" 2>"$err" || fail "the $try ping on an idle mesh: $(cat "$err")"
    sleep 1
done
"$postroad" down links-test --quiet

[ $failures -eq 0 ]
