#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Operators that take time (--operator-clocks). With what sim/README.md gives as the estimate for pings, lone pings take the
# clocks that they take between cores, within a hundredth, at any length, and pings that queue no less than three quarters of
# them. Both simulators give the same clocks. Without an estimate the fabric's clocks alone are left. Sites that run an image
# refuse the option, and wrong values are refused.
# needs: build/postroad build/tests/bench/operator_clocks/operator_clocks build/firmware/node.hex
set -uo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
source tests/work.bash
program=build/tests/bench/operator_clocks/operator_clocks

# pings SITES PATTERN WORDS [CLOCKS...]: the mean round trip, and the longest.
pings() {
    "$program" "$@" | tr -cd '0-9.,\n' | tr , ' '
}

# compared PATTERN WORDS LEAST MOST CLOCKS...: of the cores' clocks, the estimate's mean and longest are so large a share.
compared() {
    local core rtl functional
    core=$(pings core "$1" "$2")
    rtl=$(pings rtl "$1" "$2" "${@:5}")
    functional=$(pings functional "$1" "$2" "${@:5}")
    echo "$1, $2 words: cores $core, estimate $rtl"
    [ "$rtl" = "$functional" ] || fail "$1, $2 words: $rtl with rtl, $functional with functional"
    awk -v a="$rtl" -v b="$core" -v least="$3" -v most="$4" 'BEGIN { split(a, x, " "); split(b, y, " ")
        for (i = 1; i <= 2; i++) if (!(x[i] >= least * y[i] && x[i] <= most * y[i])) exit 1 }' ||
        fail "$1, $2 words: $rtl, expected $3 to $4 of the cores' $core"
}

# documented ROW: the clocks of that row of sim/README.md.
documented() {
    sed -n "s/^| $1 | .receive=\([0-9]*\),send=\([0-9]*\),handler=\([0-9]*\). .*/\1 \2 \3/p" sim/README.md
}
read -ra estimate < <(documented 'ping, no data')
read -ra long < <(documented 'ping, 24 words')
[ ${#estimate[@]}${#long[@]} = 33 ] || fail "sim/README.md: no rows 'ping, no data' and 'ping, 24 words' with the estimate"
compared one 0 0.99 1.01 "${estimate[@]}"
compared one 24 0.99 1.01 "${long[@]}"
compared all 0 0.75 1 "${estimate[@]}"
compared ring 0 0.75 1 "${estimate[@]}"
compared all 24 0.75 1 "${long[@]}"
# A lone ping is sent twice, received once in its round trip, and has one handler there.
for clocks in '0 0 0 0' '1000 0 0 1000' '0 1000 0 2000' '0 0 1000 1000'; do
    read -ra row <<<"$clocks"
    read -r mean _ < <(pings rtl one 0 "${row[@]:0:3}")
    awk -v mean="$mean" -v least="${row[3]}" 'BEGIN { exit !(mean > least && mean < least + 50) }' ||
        fail "a ping with receive, send, handler = ${row[*]:0:3}: $mean clocks, expected ${row[3]} and those of the fabric"
done

# What an operator still holds, or is busy with, is under way: nothing ends before.
for engine in rtl functional; do
    for clocks in receive=300 send=300 handler=300; do
        build/postroad sim hw/mesh/grid-4x4.mesh --reliable 0 --packets 500 --load 0.005 --engine $engine --quiet \
            --operator-clocks $clocks >"$TMPDIR/out" 2>&1 || fail "$engine, $clocks: $(head -n 1 "$TMPDIR/out")"
    done
done

# refused TEXT ARGUMENTS...
refused() {
    local output status=0
    output=$(build/postroad sim hw/mesh/grid-2x2.mesh --packets 10 "${@:2}" 2>&1) || status=$?
    [[ $status = 1 && $output = *"$1"* ]] || fail "${*:2}: exit code $status, expected 1 and '$1': $output"
}
refused 'expected --nodes native' --nodes core --operator-clocks receive=9
for value in '' 9 receive receive= receive=-1 receive=1000001 'send=9,' send=9,,handler=1 handle=9 receive=0x; do
    refused 'receive=N,send=N,handler=N' --operator-clocks "$value"
done
verdict test_operator_clocks
