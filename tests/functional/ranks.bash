# SPDX-License-Identifier: ISC
# For tests of several ranks: what is printed must not depend on their number. Source this behind sim_results.bash; the test
# defines `launch RANKS ARGUMENTS...`, which runs `$postroad sim ARGUMENTS` with so many ranks.
# shellcheck shell=bash
# shellcheck disable=SC2154  # seed, work, out and err, see there

# run_ranks N ARGUMENTS...: into $work/N; the exit code is the last line.
run_ranks() {
    local ranks=$1
    shift
    launch "$ranks" --seed "$seed" --engine functional --json --quiet "$@" >"$out" 2>"$err"
    echo "exit code $?" >>"$out"
    costless "$out" >"$work/$ranks"
    grep '^postroad' "$err" >>"$work/$ranks"
}

# same CODE RANKS MESH ARGUMENTS...: so many ranks print what one does, and end with that exit code.
same() {
    local code=$1 ranks=$2
    shift 2
    run_ranks 1 "$@"
    grep -q "^exit code $code\$" "$work/1" || fail "one rank, $(grep '^exit' "$work/1"), expected $code: $*"
    for ranks in $ranks; do
        run_ranks "$ranks" "$@"
        cmp "$work/1" "$work/$ranks" >&2 || fail "$ranks ranks print something else: $*: $(tail -n 3 "$err")"
    done
}

same_quick() {
    same 0 '2 4' hw/mesh/grid-8x8.mesh --load 0.2 --packets 2000 --multicast 0.3
}

# Every topology, service and kind of traffic.
same_all() {
    same_quick
    same 0 '2 4' hw/mesh/grid-4x4.mesh --reliable 1 --load 0.2 --packets 1000 --multicast 0.5 --info 1 --stall 20
    same 0 2 hw/mesh/hypercube-4.mesh --reliable 0 --load 0.1 --packets 1000 --multicast 0.2
    same 0 2 hw/mesh/torus-4x4.mesh --load 0.3 --packets 1000
    same 0 '2 4' hw/mesh/january-4x4.mesh --reliable 0 --load 0.3 --packets 1000 --multicast 0.5 --length 40
    same 0 2 hw/mesh/january-4x4.mesh --reliable 1 --load 0.1 --packets 1000 --multicast 0.3 --info 1 --stall 20 \
        --operator-clocks receive=30,send=20,handler=50
    # Blocks of different sizes, and a sweep.
    sed 's/^size = .*/size = 3x3/' hw/mesh/grid-4x4.mesh >"$work/3x3.mesh"
    same 0 2 "$work/3x3.mesh" --load 0.1:0.2:0.1 --packets 300 --ordered --reliable 1
    # Packets that wait for others, of other ranks too.
    for ((i = 0; i < 40; i++)); do echo "$((i * 3)) $((i % 16)) $(((i * 7 + 3) % 16)) 8 after $((i - 1))"; done |
        sed '1s/ after.*//' >"$work/trace"
    same 0 2 hw/mesh/grid-4x4.mesh --traffic "trace:$work/trace"
}

# refused CODE TEXT ARGUMENTS...: two ranks cannot do it. The error is printed once.
refused() {
    local code=$1 text=$2 status=0
    shift 2
    launch 2 "$@" >"$out" 2>"$err" || status=$?
    [ $status -eq "$code" ] || fail "exit code $status, expected $code: $*"
    [ "$(grep -c "$text" "$err")" -eq 1 ] || fail "$*: $(head -n 3 "$err"), expected '$text' once"
}
