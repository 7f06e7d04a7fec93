#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The test runner can fail: a failing test, a bench without PASS, a build that breaks, a test that hangs, one that
# leaves a process behind, one that a signal ends. It knows what a change reaches, and which test has become slow. In a small
# tree of its own.
# needs only: nothing
# reads: tests/run tests/run_test
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/tools.bash

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tests/area" "$tree/tests/rtl"
cp tests/run tests/run_test tests/supervise.c "$tree/tests/"
cat >"$tree/Makefile" <<'END'
.PHONY: all test-sets
all test-sets: ;
build/needed: ; @mkdir -p $(@D) && touch $@
build/tests/supervise: tests/supervise.c ; @mkdir -p $(@D) && gcc -o $@ $<
build/tests/%: tests/%.c ; @mkdir -p $(@D) && gcc -o $@ $<
build/tests/%.vvp: tests/%.v ; @mkdir -p $(@D) && iverilog -o $@ $<
END

# expect STATUS LAST-LINE TEXT NAME...: runs tests; the last line is exact, the text anywhere.
expect() {
    local wanted=$1 last=$2 text=$3 status=0 output
    shift 3
    output=$(SEED=5 "$tree/tests/run" "$@" 2>&1) || status=$?
    if [ $status -ne "$wanted" ] || [ "$(tail -n 1 <<<"$output")" != "$last" ] ||
        ! grep -qF -- "$text" <<<"$output"; then
        echo "tests/run $*: exit status $status (expected $wanted), last line expected: $last, and: $text"
        echo "$output"
        exit 1
    fi
}

script() {
    printf '#!/bin/sh\n%s\n' "$2" >"$tree/tests/area/test_$1.sh"
    chmod +x "$tree/tests/area/test_$1.sh"
}

script good 'true'
script seed '[ "$SEED" = 5 ]'
echo 'int main(void) { return 0; }' >"$tree/tests/area/test_program.c"
echo 'module right_tb; initial begin $display("PASS"); $finish; end endmodule' >"$tree/tests/rtl/right_tb.v"
expect 0 '4 passed, 0 failed' 'SEED=5'
expect 0 '1 passed, 0 failed' 'pass  area/test_good' good
expect 0 '1 passed, 0 failed' 'pass  rtl/right_tb' 'rtl/*'
expect 1 "tests/run: no test is called 'other'; tests/run --list has their names" 'no test' other

script needy '# needs: all build/needed
[ -e build/needed ]'
expect 0 '1 passed, 0 failed' 'pass  area/test_needy' needy
rm "$tree/tests/area/test_needy.sh"

script bad 'echo the reason; exit 3'
expect 1 '0 passed, 1 failed' 'make test T=area/test_bad SEED=5' bad
expect 1 '0 passed, 1 failed' 'the reason' bad
expect 1 '4 passed, 1 failed' 'failed: area/test_bad'
rm "$tree/tests/area/test_bad.sh"

echo 'module silent_tb; initial $finish; endmodule' >"$tree/tests/rtl/silent_tb.v"
echo 'module wrong_tb; initial begin $display("FAIL"); $display("PASS"); $finish; end endmodule' \
    >"$tree/tests/rtl/wrong_tb.v"
expect 1 '1 passed, 2 failed' 'no PASS, or a FAIL' 'rtl/*'
rm "$tree"/tests/rtl/{silent,wrong}_tb.v

script slow '# time limit: 1 s
sleep 60'
expect 1 '0 passed, 1 failed' 'seconds of a limit of 1' slow
script orphan 'setsid sleep 61 & exit 0'
expect 1 '0 passed, 1 failed' 'left running: process' orphan
# Reparented, twice over, and with another environment: it is found all the same.
script orphan '(setsid env -i sh -c "sleep 62 & sleep 62" &) & exit 0'
expect 1 '0 passed, 1 failed' 'sleep 62' orphan
script crash 'kill -SEGV $$'
expect 1 '0 passed, 1 failed' 'ended by signal 11 (SIGSEGV)' crash
rm "$tree"/tests/area/test_{slow,orphan,crash}.sh

# One run at a time; told to end, it ends its tests.
script slow 'sleep 63'
"$tree/tests/run" slow >"$tree/log" 2>&1 &
runner=$!
for ((tries = 0; tries < 100; tries++)); do pgrep -f '^sleep 63$' >"$tree/sleeps" && break; sleep 0.1; done
expect 1 "tests/run: $tree: another run is at work here, expected one at a time" 'another run' good
status=0
kill -TERM $runner
wait $runner || status=$?
if [ $status -ne 130 ] || kill -0 "$(cat "$tree/sleeps")" 2>/dev/null; then
    echo "interrupted: exit status $status (expected 130), or a test goes on"
    exit 1
fi
rm "$tree/tests/area/test_slow.sh" "$tree"/{log,sleeps}

# Full lengths, and tests that are long only.
script long '# runs in: test-long
[ "$LONG" = 1 ]'
script either '[ "$LONG" = "$WANTED" ]'
WANTED='' expect 0 '5 passed, 0 failed' 'pass  area/test_either'
WANTED=1 expect 0 '6 passed, 0 failed' 'pass  area/test_long' --long
expect 1 "tests/run: no test is called 'long'; tests/run --list has their names" 'no test' long
rm "$tree"/tests/area/test_{long,either}.sh

# What can differ between runs does not: the order of the tests is the table's, or drawn.
order() {
    SEED=5 "$tree/tests/run" | sed -n 's/^pass  \([^ ]*\).*/\1/p' | tr '\n' ' '
}
printf 'area/test_good 9\nrtl/right_tb 4\narea/test_seed 2\narea/test_program 1\n' >"$tree/tests/times"
[ "$(JOBS=1 order)" = 'area/test_good rtl/right_tb area/test_seed area/test_program ' ] ||
    { echo "order: $(JOBS=1 order)"; exit 1; }
[ "$(JOBS=1 ORDER_SEED=2 order)" = "$(JOBS=1 ORDER_SEED=2 order)" ] || { echo "an order drawn twice differs"; exit 1; }
[ "$(JOBS=1 ORDER_SEED=2 order)" != "$(JOBS=1 ORDER_SEED=3 order)" ] || { echo "two seeds draw one order"; exit 1; }

# A test that takes twice as long beside the others is named; a machine on which all do is slow, no more.
work='i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
for name in one two three; do script $name "$work"; done
missing='tests/run: --times: area/test_one has not run here: make test first'
expect 1 "$missing" "$missing" --times
"$tree/tests/run" one two three >/dev/null
"$tree/tests/run" --times
sed -i -E 's/^(area\/test_(one|two|three)) .*/\1 4.0/' "$tree/tests/times"
expect 0 '3 passed, 0 failed' 'processor time: ' one two three
# The build has compiled nothing by now; the tests have counted.
awk 'FILENAME ~ /build.seconds/ { built = $1; next } { tests += $1 } END { exit !(built < 1 && tests > 0.05) }' \
    "$tree"/build/tests/build.seconds "$tree"/build/tests/area/test_{one,two,three}.seconds ||
    { echo "no processor time of tests and build"; exit 1; }
expect 0 '3 passed, 0 failed' 'on the machine of tests/times: ' one two three
if grep -q 'twice as long' <<<"$("$tree/tests/run" one two three)"; then echo "a fast machine's tests are called slow"; exit 1; fi
sed -i -E 's/^(area\/test_two) .*/\1 1.0/' "$tree/tests/times"
expect 0 '3 passed, 0 failed' 'twice as long as in tests/times: area/test_two' one two three
# A table that is renewed keeps the measure of the one before.
"$tree/tests/run" --times
awk '/test_one/ { exit !($2 > 1 && $2 < 16) }' "$tree/tests/times" || { cat "$tree/tests/times"; exit 1; }
rm "$tree"/tests/area/test_{one,two,three}.sh "$tree/tests/times"

# What a change can reach.
mkdir -p "$tree/hw"
echo 1 >"$tree/hw/read.v"
script reader '# reads: hw
true'
git -C "$tree" init --quiet
git -C "$tree" add .
expect 0 '5 passed, 0 failed' 'area/test_reader'
expect 0 '5 passed, 0 failed' ' 0 tests run' --changed
touch "$tree/hw/read.v"
expect 0 '5 passed, 0 failed' 'pass  area/test_reader' --changed
expect 0 '5 passed, 0 failed' ' 0 tests run' --changed
touch "$tree/tests/rtl/right_tb.v"
expect 0 '5 passed, 0 failed' 'pass  rtl/right_tb' --changed
rm "$tree/tests/area/test_reader.sh"

# The soak draws seeds, tests what is committed, and keeps what failed.
script lucky '[ "$SEED" = 5 ]'
script lasting '# runs in: test-long
[ "$SEED" = 5 ]'
cp tests/soak "$tree/tests/"
git -C "$tree" add .
git -C "$tree" -c user.name=test -c user.email=test@localhost commit --quiet --message=soak
status=0
"$tree/tests/soak" 2 >"$tree/soak.log" 2>&1 || status=$?
if [ $status -ne 1 ] || [ "$(grep -c 'SEED=[0-9]* make test T=area/test_lucky$' "$tree/build/soak/failures")" -ne 2 ] ||
    grep -q 'test_good' "$tree/build/soak/failures" || ! ls "$tree"/build/soak/*.area.test_lucky.log >/dev/null; then
    echo "tests/soak 2: exit status $status (expected 1), two failures of test_lucky expected"
    cat "$tree/soak.log" "$tree/build/soak/failures"
    exit 1
fi
rm "$tree"/tests/area/test_{lucky,lasting}.sh

# A program that no longer compiles: its old binary must not pass for it.
echo 'int main(void) { return }' >"$tree/tests/area/test_program.c"
expect 1 '3 passed, 1 failed' 'area/test_program: not built'
