#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Discipline `postman` behind the operator's interface: every option and both word widths carry traffic exactly once, in order
# where that is asked, over links whose bits are inverted or cut, and sites that are reset.
# time limit: 1800 s
set -uo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
export EXPECT_SECONDS=1500   # a set is built when a simulation asks for it
mesh=hw/mesh/postman-4x4.mesh
quick=(--packets 300 --quiet --json)

# options LINE...: the mesh with these lines in [postman].
options() {
    cat $mesh
    printf '%s\n' '[postman]' "$@"
}

for lines in strategy=eager strategy=vct adaptive_routing=yes $'adaptive_routing=yes\nadaptive_sourcing=yes' \
    $'strategy=vct\nadaptive_routing=yes\nadaptive_sourcing=yes' interleave=2 interleave=4; do
    options "$lines" >"$work/options.mesh"
    run 0 "$work/options.mesh" "${quick[@]}" --load 0.02
    expect_exactly_once
    expect 0 received_aborted
    expect 0 failed
    run 0 "$work/options.mesh" "${quick[@]}" --load 1 --traffic hot-spot --multicast 0.3 --targets 3 --info 2 --ordered
    expect_exactly_once
    expect 0 received_aborted
done

# Planes that share a wire move in one of INTERLEAVE clocks each, so a backlogged mesh accepts that part of what it would alone.
# The raw service: a time-out at the end of a run would count. backlogged INTERLEAVE: words a million sites accept in a clock.
backlogged() {
    options interleave="$1" >"$work/options.mesh"
    run 0 "$work/options.mesh" --packets 1500 --reliable 0 --pool 1500 --quiet --json --load 1
    awk -v load="$(value run_load)" 'BEGIN { printf "%.0f", load * 1e6 }'
}
alone=$(backlogged 1)
for interleave in 2 4; do
    shared=$(($(backlogged $interleave) * interleave * 100 / alone))
    [ $shared -ge 90 ] && [ $shared -le 110 ] ||
        fail "interleave = $interleave: accepts $shared % of what its share of the clocks allows"
done

sed 's/word_width = 16/word_width = 32/' $mesh >"$work/wide.mesh"
run 0 "$work/wide.mesh" "${quick[@]}" --load 0.5 --multicast 0.2 --targets 4 --length geometric:12
expect_exactly_once
expect 0 received_aborted

# Only what adapts leaves dimension order; with virtual cut-through nothing goes on in vain.
events() {
    "$postroad" sim "$1" --seed "$seed" --packets 300 --load 0.03 --quiet | grep '^events'
}
options strategy=vct >"$work/vct.mesh"
options adaptive_routing=yes >"$work/adaptive.mesh"
shows() {
    local found
    found=$(events "$1")
    [[ $found =~ $2 ]] || fail "$1: $found, expected $2"
}
shows $mesh ' [1-9][0-9]* dead flits, [1-9][0-9]* deferrals, 0 diversions'
shows "$work/vct.mesh" ' 0 dead flits, [1-9][0-9]* deferrals, 0 diversions'
shows "$work/adaptive.mesh" ' deferrals, [1-9][0-9]* diversions'

# The same in the results: dead flits are those of the events.
run 0 $mesh "${quick[@]}" --load 0.03
[[ $(events $mesh) == *" $(value dead_flits) dead flits, $(value deferrals) deferrals, $(value diversions) diversions"* ]] ||
    fail "dead_flits $(value dead_flits), deferrals $(value deferrals), diversions $(value diversions): not those of the events"

# Faults: what arrives is right, and what does not is reported. With planes that share wires, too: sites never sleep there, and
# a packet that was lost is sent again though nothing moves for as long as its time-out lasts.
options interleave=4 >"$work/options.mesh"
faults() {
    local fault status
    for fault in "${@:2}"; do
        status=0
        "$postroad" sim "$1" --seed "$seed" "${quick[@]}" --load 0.02 --fault "$fault" >"$out" 2>"$err" || status=$?
        [[ $status = [04] ]] || fail "$1 --fault $fault: exit code $status: $(cat "$err")"
        for key in lost duplicated corrupted stray; do expect 0 $key; done
    done
}
faults $mesh corrupt:0.002 link:any:20000:4000 reset:any:~20000 corrupt:0.0005
faults "$work/options.mesh" corrupt:0.002

finish
