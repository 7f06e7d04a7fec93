#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What `postroad sim` refuses: exit code 1 or 2, a message that says what was expected, nothing on stdout, no file left.
# needs: build/sim/fabric-cutthrough-16-4-32-64-waves/site.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
mesh=hw/mesh/grid-4x4.mesh

# refuse TEXT ARGUMENTS...: usage error whose message has TEXT.
refuse() {
    local text=$1
    shift
    run 1 "$@"
    grep -q -- "$text" "$err" || fail "sim $*: message '$(cat "$err")', expected '$text'"
    [ ! -s "$out" ] || fail "sim $*: prints on stdout"
    [ "$(wc -l <"$err")" -eq 1 ] || fail "sim $*: more than one line of message"
}

refuse 'expected FILE.mesh (see postroad sim --help)'
refuse 'No such file' "$work/none.mesh"
refuse "$mesh: expected FILE.mesh" $mesh $mesh
refuse '--colour: no such option' $mesh --colour red
refuse '-x: no such option' $mesh -x
refuse '--load: expected a number from 1e-9' $mesh --load
refuse '--json=yes: --json takes no argument' $mesh --json=yes
refuse '--pack: no such option; did you mean --packets?' $mesh --pack 50
refuse '--repeated: no such option; did you mean --repeated-unicasts?' $mesh --repeated 3
refuse 'size: expected SECTION.KEY=VALUE' $mesh --set size
refuse '--set mesh.size=4x: size is 4x, expected' $mesh --set buffers.max_packet=64 --set mesh.size=4x
refuse '--set mesh.size=2x2 with --testbed' --testbed boards/testbeds/icebreaker-pair.ini --set mesh.size=2x2
refuse "expected rtl" $mesh --engine paper
refuse 'expected uniform, transpose' $mesh --traffic random
refuse 'expected uniform, transpose' $mesh --traffic matrix
refuse 'none.matrix: No such file' $mesh --traffic "matrix:$work/none.matrix"
printf '1 1 1\n' >"$work/bad.matrix"
refuse "$work/bad.matrix:1: 3 numbers, expected 16, one for each site" $mesh --traffic "matrix:$work/bad.matrix"
refuse 'expected bernoulli' $mesh --process poisson
refuse 'expected bernoulli' $mesh --process bursty:0
for load in '' -1 2 abc nan 0.1:0.2 0.2:0.1:0.1 0.1:0.2:0 0.0001:1:0.0000001 1e 0x1 ' 0.1'; do
    refuse "expected a number from 1e-9 to 1, or" $mesh "--load=$load"
done
for number in '' -1 1.5 1x 99999999999999999999; do
    refuse 'expected a number' $mesh "--packets=$number"
    refuse 'expected a number' $mesh "--pool=$number"
    refuse 'expected a number' $mesh "--stall=$number"
    refuse 'expected a number' $mesh "--seed=$number"
    refuse 'expected a number' $mesh "--length=$number"
done
refuse 'expected a number' $mesh --packets 0
refuse 'expected a number' $mesh --pool 2
refuse 'expected a number' $mesh --stall 100
refuse 'expected a number' $mesh --length geometric:0
refuse 'expected a number from 0 to 1' $mesh --multicast 1.01
refuse 'expected 2 to the number of sites' $mesh --multicast 0.1 --targets 17
refuse 'expected targets + 3 + data words' $mesh --length 4000
refuse 'expected targets + 3 + data words' $mesh --length 110 --multicast 0.5 --targets 7 --info 1
refuse 'expected at most 256 targets and target_info' hw/mesh/grid-8x8.mesh --multicast 0.5 --targets 60 --info 4
refuse 'expected a number from 0 to 8' $mesh --info 9
refuse 'expected --nodes native' $mesh --nodes core --info 1
refuse 'expected the number of a site' $mesh --traffic hot-spot --hot-site 16
refuse 'expected a square mesh' hw/mesh/deadlock-figure-4.mesh --traffic transpose
refuse 'no tornado here, expected a grid or a torus' hw/mesh/hypercube-4.mesh --traffic tornado
refuse 'expected more than 0' $mesh --load 0
refuse 'window is larger than the pool' $mesh --reliable 0 --pool 8 --window 9
refuse 'expected 1 to 32' $mesh --reliable 1 --window 33
refuse 'expected a number from 0 to 1' $mesh --reliable yes
refuse 'expected the reliable service' $mesh --reliable 0 --ordered
refuse 'expected the reliable service and --nodes native' $mesh --nodes core --ordered
for targets in '' 1 1:4 4:2 2: :4 2:300 2:4:6; do
    refuse 'expected a number from 2 to 256, or LEAST:MOST' $mesh --multicast 0.5 "--targets=$targets"
done
refuse 'expected 2 to the number of sites' $mesh --multicast 0.5 --targets 2:17
for broadcast in '' 3 3: :5 3:0 x:5; do refuse 'expected the number of a site' $mesh "--broadcast=$broadcast"; done
refuse 'expected the number of a site of this mesh' $mesh --broadcast 16:100
refuse '--fault : expected' $mesh --fault ''
refuse 'expected' $mesh --fault fire:3:100
refuse 'expected' $mesh --fault reset:16:100
refuse 'expected' $mesh --fault link:0.west:100
refuse '--reliable 0: multicast = flush with reliable = no, expected reliable = yes' hw/mesh/wormlan-lan.mesh \
    --set wormlan.multicast=flush --reliable 0
refuse 'packets carry no epoch, expected --reliable 1' $mesh --reliable 0 --fault reset:3:100
refuse 'expected --nodes native' $mesh --nodes core --fault stop:3:100
refuse 'expected --nodes native' $mesh --nodes core --fault reset:3:100
many=()
for _ in $(seq 33); do many+=(--fault corrupt:0.1); done
refuse 'expected at most 32 faults' $mesh "${many[@]}"
refuse 'expected --nodes native' $mesh --nodes core --pool 16
refuse 'expected --nodes native' $mesh --nodes core --stall 5
refuse 'expected --nodes native' $mesh --nodes core --repeated-unicasts
printf '0 0 1 1\n' >"$work/one.tra"
printf '[mesh]\ntopology = grid\nsize = 4x4\n[buffers]\nmax_packet = 20\n' >"$work/short.mesh"
refuse 'expected --nodes native' $mesh --nodes core --groups 1
refuse 'too many joins' $mesh --reliable 0 --groups 1 --joins 1
refuse 'number of members out of range' $mesh --groups 1 --members 17
refuse 'too many groups, expected at most 8 for each site' $mesh --groups 200 --members 8
refuse '--shape star: expected direct, direct-order, circuit' $mesh --groups 1 --shape star
refuse 'group share out of range' $mesh --groups 1 --group-share 0
refuse 'too many joins' $mesh --groups 1 --members 4 --joins 4
refuse 'expected one process' $mesh --groups 1 --engine functional --ranks 2
refuse 'expected the packets of the trace alone' $mesh --groups 1 --traffic "trace:$work/one.tra"
run 1 "$work/short.mesh" --groups 1 --members 16 --length 1 --quiet
grep -q 'no group of 16 members here: too many members' "$err" || fail "16 members in packets of 20 words: $(cat "$err")"
refuse 'expected --nodes core' $mesh --firmware x.hex
refuse 'expected one load' $mesh --waves "$work/x.fst" --load 0.1:0.2:0.1
refuse 'No such file or directory' $mesh --csv "$work/none/x.csv"
refuse 'No such file or directory' $mesh --waves "$work/none/x.fst"
refuse 'is no ordinary file' $mesh --waves /dev/null
refuse 'would both be on standard output' $mesh --json --csv -
if command -v gnuplot >/dev/null; then refuse 'No such file or directory' $mesh --plot "$work/none/x"; fi

printf '[mesh]\ntopology = grid\nsize = 4y4\n' >"$work/bad.mesh"
refuse "$work/bad.mesh:3: size is 4y4, expected WIDTHxHEIGHT" "$work/bad.mesh"
printf '[mesh]\ntopology = grid\nsize = 4x4\n[thresholds]\nabort = 5\n' >"$work/bad.mesh"
refuse "$work/bad.mesh:5: abort is 5, expected a power of two" "$work/bad.mesh"

# The letters of the other verbs, and options by the beginning of their name.
run 0 -qj $mesh --packets=50
[ ! -s "$err" ] || fail "-q: $(cat "$err")"
expect 50 packets
run 0 $mesh --packets 50 -v
grep -q 'all packets generated' "$err" || fail "-v: $(cat "$err")"
for option in -h --help; do
    run 0 $option
    grep -q '^Usage: postroad sim FILE.mesh' "$out" || fail "$option: $(head -n 1 "$out")"
done
run 0 -V
[ "$(cat "$out")" = "$("$postroad" --version)" ] || fail "-V: $(cat "$out")"

# A full disk: said, exit code 2, the result is on stdout all the same, and no half file stays.
run 2 $mesh --packets 50 --quiet --json --csv /dev/full
grep -q '/dev/full: No space left on device' "$err" || fail "full disk under a CSV: $(cat "$err")"
expect_exactly_once
ln -s /dev/full "$work/picture-latency.svg"
"$postroad" sim $mesh --packets 50 --quiet >/dev/full 2>"$err"
[ $? -eq 2 ] || fail "full disk under stdout"
grep -q 'standard output: No space left on device' "$err" || fail "full disk under stdout: $(cat "$err")"

# The same under waves: no crash, no half file. Once with a limit on files, once on a full disk where one can be mounted.
(ulimit -f 20; run 2 $mesh --packets 300 --quiet --json --waves "$work/x.fst"; exit "$failures") || failures=$((failures + 1))
grep -q 'x.fst: File too large' "$err" || fail "a limit on files under waves: $(cat "$err")"
expect_exactly_once
if unshare --map-root-user --mount mount -t tmpfs none "$work" 2>/dev/null; then
    mkdir "$work/small"
    # shellcheck disable=SC2016  # for the other shell
    unshare --map-root-user --mount sh -c 'mount -t tmpfs -o size=64k none "$1" && shift && "$@"; code=$?; ls -A '"$work/small"'
        exit $code' - "$work/small" "$postroad" sim $mesh --packets 300 --quiet --waves "$work/small/x.fst" \
        >"$out" 2>"$err"
    [ $? -eq 2 ] || fail "full disk under waves: exit code"
    grep -q 'small/x.fst: No space left on device' "$err" || fail "full disk under waves: $(cat "$err")"
    if grep -q fst "$out"; then fail "full disk under waves: $(grep fst "$out") is left"; fi
fi
if compgen -G "$work/*fst*" >/dev/null; then fail "waves that could not be written left $(ls "$work")"; fi
run 0 $mesh --packets 50 --quiet --json --waves "$work/x.fst"
[ "$(compgen -G "$work/*fst*")" = "$work/x.fst" ] || fail "waves: $(ls "$work")"

# What is there already stays until the new file is whole.
echo old >"$work/x.csv"
run 1 $mesh --csv "$work/x.csv" --load 7
[ "$(cat "$work/x.csv")" = old ] || fail "a refused run touched the CSV"
run 0 $mesh --csv "$work/x.csv" --packets 50 --quiet
[ "$(wc -l <"$work/x.csv")" -eq 2 ] || fail "CSV of one point"
[ -z "$(find "$work" -name '*.new')" ] || fail "a temporary file is left"

# CSV on standard output, and no file of that name.
run 0 $mesh --csv - --packets 50 --quiet
[ "$(wc -l <"$out")" -eq 2 ] || fail "--csv -: $(cat "$out")"
grep -q '^schema,' "$out" || fail "--csv -: no heading"
[ ! -e - ] || fail "--csv -: a file of that name"
finish
