#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# tests/bench/measure: every experiment names only what it has, and its tables have the columns of the results; one of a tiny mesh
# gives the same page twice, and another one with other figures; a fault in a file is said with its line, and what was expected.
# needs: build/postroad
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
source tests/work.bash

measure() {
    tests/bench/measure "$@" jobs=2
}

# The experiments of the tree, without a run.
for file in tests/bench/experiments/*.ini; do
    tests/bench/measure --check "$file" >/dev/null || fail "$file"
done

cat >"$work/tiny.ini" <<'END'
; Two meshes, three loads, two seeds.
[experiment]
title = Tiny
let packets = 40
text = Of {packets} packets,
      {{as they are}}.

[loads]
title = Loads
mesh = topology=grid size={size}
options = --engine functional --reliable 0 --packets {packets} --seed {seed}
vary size = 2x1, 2x2
vary load = 0.1..0.3 by 0.1
where = size == "2x2" or load < 0.3
also seed = 1..2
also arm length = short | 1
also arm length = "long, of words" | 8
run at = --load {load} --length {length}
let mean = {%.2f at.latency_clocks.mean}
column = size, load, packets = at.packets
column = 2 seeds | {sum(r.at.packets for r in rows("seed"))}
column arm length = {arm} | {mean}
column = ratio | {%.3f row(arm="long, of words").mean / mean}
expect arm length = at.packets == at.completed | {size}: not all packets arrived
sentence = Least and most,
sentence size = size != "2x1" | {size}: {min(r.mean for r in rows("load"))} to {max(r.mean for r in rows("load"))} at
    {max(rows("load"), key=lambda r: r.mean).load}
curve = {size} | True | {load} {mean}

[words]
run said = ! echo 7 words
file made = echo 3
run read = ! cat {made}
column = first = said.word1, second = said.word2
column = none | {said.word1 * nothing}
column = file = read.word1

[long]
vary n = 1..21
run said = ! sh -c "echo {n} words of $SAID"
column = n, said = said.word4
column = both | {n}, {said.word4}
END
export SAID=one
cat >"$work/page" <<'END'
# Tiny

Of 40 packets,
{as they are}.

## Loads

| size | load | packets | 2 seeds | short | long, of words | ratio |
|---|---:|---:|---:|---:|---:|---:|
END

mkdir "$work/one" "$work/two"
measure -o "$work/one" "$work/tiny.ini"
measure -o "$work/two" "$work/tiny.ini"
cat "$work/one/tiny.md"
diff -r "$work/one" "$work/two" || fail "two runs differ"
diff "$work/page" <(head -n "$(wc -l <"$work/page")" "$work/one/tiny.md") || fail "the page begins otherwise"
[ "$(grep -c '^| 2x[12] | 0.[1-3] | 40 | 80 | [0-9.]* | [0-9.]* | [0-9.]* |$' "$work/one/tiny.md")" = 5 ] || fail "not five rows"
tail -n 8 "$work/one/tiny.md" | head -n 6 |
    diff - <(printf '%s\n' '' '| first | second | none | file |' '|---|---:|---:|---:|' '| 7 | words | - | 3 |' '' \
        '[tiny-long.csv](tiny-long.csv): 21 rows.') || fail "the page ends otherwise"
{ echo n,said,both; for n in {1..21}; do echo "$n,one,\"$n, one\""; done; } | diff - "$work/one/tiny-long.csv" ||
    fail "another CSV"
measure "$work/tiny.ini" long | tail -n 1 | grep -x '| 21 | one | 21, one |' >/dev/null || fail "no rows on standard output"

# The page is today's as long as nobody changes it, its file, or what lies beside; prose may change in both.
again() {
    SEED=${seed:-1} LONG=1 measure --again "$work/one" "$work/tiny.ini" >"$work/drawn" 2>&1
}
again || fail "the page is not its own: $(cat "$work/drawn")"
[ "$(grep -c '^tiny.md: |' "$work/drawn")" = 2 ] && grep -x 'tiny-long.csv: \([0-9]*\),one,"\1, one"' "$work/drawn" >/dev/null ||
    fail "drawn: $(cat "$work/drawn")"
cp -r "$work/one" "$work/kept"
cp "$work/tiny.ini" "$work/kept.ini"
# changed FILE TEXT EXPRESSION: this program of sed changes this file, and that is noticed with this text.
changed() {
    local status=0
    sed -i "$3" "$work/$1"
    again || status=$?
    [ "$status" = 3 ] && grep -F -- "$2" "$work/drawn" >/dev/null || fail "'$3' in $1: exit code $status: $(cat "$work/drawn")"
    cp "$work/kept/"* "$work/one"
    cp "$work/kept.ini" "$work/tiny.ini"
}
changed one/tiny.md "measured again: | 2x" 's/^\(| 2x. | 0.*| \)\(.*\) |$/\19\2 |/'
changed one/tiny.md "measured again: | 7" 's/^| 7 | words/| 8 | words/'
changed one/tiny.md "expected the heading '| size" 's/^| size/| width/'
changed one/tiny.md "expected the paragraph 'Of 40" 's/they are/they were/'
changed one/tiny.md "expected the paragraph '[tiny-long.csv]" 's/: 21 rows/: 8 rows/'
changed one/tiny-long.csv 'other pictures or CSV' 's/^5/6/'
SAID=two changed tiny.ini 'which '"$work"'/one/tiny-long.csv does not have' ''
rm "$work/one/tiny-long.csv"
changed tiny.ini 'other pictures or CSV' ''
changed tiny.ini 'another experiment' 's/^let packets = 40/let packets = 41/'
changed tiny.ini "expected the paragraph '## Weights'" 's/^title = Loads/title = Weights/'
sed -i 's/are}}/seem}}/' "$work/tiny.ini"
sed -i 's/are}/seem}/' "$work/one/tiny.md"
again || fail "prose that has changed in both: $(cat "$work/drawn")"
cp "$work/kept/"* "$work/one"
cp "$work/kept.ini" "$work/tiny.ini"
# Figures of what a run costs are not compared.
sed -i 's/^column = size, load, packets.*/column = seconds | {%.6f at.cpu_seconds}\n&/
    s/^column = both.*/column = seconds | {%.6f said.user_seconds}\n&/' "$work/tiny.ini"
measure -o "$work/one" "$work/tiny.ini"
again || fail "seconds are compared: $(cat "$work/drawn")"
cp "$work/kept/"* "$work/one"
cp "$work/kept.ini" "$work/tiny.ini"

# What the sentence and the ratio say is what the table has.
awk -F ' *[|] *' '$2 == "2x2" { if (!n++ || $6 < least) least = $6; if (n == 1 || $6 > most) { most = $6; at = $3 } }
    END { print "Least and most, 2x2: " least " to " most " at " at "." }' "$work/one/tiny.md" >"$work/said"
grep -xFf "$work/said" "$work/one/tiny.md" >/dev/null || fail "expected $(cat "$work/said")"
awk -F ' *[|] *' '$2 ~ /^2x/ && sprintf("%.3f", $7 / $6) != $8 { bad = 1 } END { exit bad }' "$work/one/tiny.md" ||
    fail "a wrong ratio"

# A figure that changes changes the table, and its sentence.
measure "$work/tiny.ini" packets=41 loads >"$work/other"
grep '^| 2x2 | 0.3' "$work/one/tiny.md" | grep -xFf - "$work/other" && fail "41 packets give the same row"
grep -x '| 2x2 | 0.3 | 41 | 82 .*' "$work/other" >/dev/null || fail "no row of 41 packets"

# refused LINE TEXT EXPRESSION [ARGUMENT...]: the file, changed by this program of sed, is refused in this line, with this text.
refused() {
    local line=$1 text=$2 code=${code:-1} status=0
    sed "$3" "$work/tiny.ini" >"$work/bad.ini"
    measure "$work/bad.ini" "${@:4}" >/dev/null 2>"$work/said" || status=$?
    [ "$status" = "$code" ] || fail "'$3': exit code $status, expected $code: $(cat "$work/said")"
    grep -F "$work/bad.ini:$line: " "$work/said" | grep -F -- "$text" >/dev/null || fail "'$3': $(cat "$work/said")"
}

refused 20 "'lentgh', expected one of: " 's/^column = size/column = lentgh/'
refused 18 "no field 'packet', expected one of: schema" 's/= at.packets$/= at.packet/'
refused 10 "expected the name of a file in hw/mesh" 's/^mesh.*/mesh = grid-9x9/'
refused 9 "'tilte', expected one of: title" 's/^title = Loads/tilte = Loads/'
refused 5 "expected {EXPRESSION}, or '{{'" 's/{packets} packets/{ packets/'
refused 19 "expected an expression" 's/%.2f at.latency_clocks.mean}$/%.2f at.}/'
refused 23 "expected a figure" 's/%.3f row.*/%.3f size}/'
refused 23 "with 3 fields, expected 1 to 2" 's/^column = ratio |/& a |/'
refused 12 "'vary' with 1 fields, expected 2" 's/^vary size/& way/'
refused 8 "expected [experiment] first" 's/^\[loads\]/[experiment]/'
refused 2 "expected [experiment] first" 's/^\[experiment\]/[loads]/'
refused 31 "expected a section above: experiment loads" 's/^run said.*/like = load/'
sed 's/^column = both/column = said/' "$work/tiny.ini" >"$work/bad.ini"
measure --check "$work/bad.ini" >/dev/null 2>"$work/said" && fail "a CSV with two columns of the same title"
grep 'expected titles that differ' "$work/said" >/dev/null || fail "$(cat "$work/said")"
code=3
refused 18 "--lenght: no such option" 's/--length/--lenght/'
refused 18 "topology is torsu, expected grid" 's/=grid/=torsu/'
refused 24 "2x1: not all packets arrived" 's/at.completed |/at.completed + 1 |/'
refused 32 "No such file or directory: 'no_such'" 's/^file.*/file made = no_such/' words
refused 31 "in {broken" 's/^run said.*/run said = ! echo {{broken/' words
refused 31 "exit code 127, expected 0" 's|^run said.*|run said = ! sh -c "exit 127"|' words

verdict test_experiments
