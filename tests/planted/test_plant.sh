#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# tests/plant says so when something is wrong with a planted bug, or when nobody notices it: with tables that are made here, and a
# check that takes no time, or benches.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/work.bash
source tests/work.bash
export PLANTED=$work/tables SEED=1 # --drawn draws the one table that there is
mkdir -p "$PLANTED"
before=$(cat hw/README.md hw/soc/clint.v | cksum)

# `word WORD FILE`: a file has to hold the word. Only a file with a bug is a copy; next to it are links.
cat >"$PLANTED/word.bash" <<'END'
word_exists() { [ "$1" != unknown ] || { echo "there is no word $1"; return 1; }; }
word_sound() { echo x >>"$PLANTED/sound"; grep -w "$1" "$2"; }
word_judge() {
    [ "$2" != unbuilt ] || { echo "syntax error" >&2; return 2; }
    [ ! -L "$1/hw" ] && [ -L "$1/hw/mesh" ] && [ -L "$1/sim" ] && [ ! -L "$1/build" ] || return 4
    ! grep -qw "$2" "$1/$3" && echo "$3 has no $2"
}
END

# plants EXIT_STATUS PATTERN LINE...: with a table of these lines. The pattern is in what tests/plant prints.
plants() {
    local status=$1 pattern=$2 found
    shift 2
    printf '%s\n' "$@" >"$PLANTED/made.bugs"
    tests/plant "${options[@]}" >"$work/log" 2>&1
    found=$?
    if [ $found != "$status" ] || ! grep -qE -- "$pattern" "$work/log"; then
        fail "exit status $found, expected $status and '$pattern': $*"
        cat "$work/log"
    fi
}

options=(-j 2)
lost='hw/README.md | - | a word is lost | word hw hw/README.md | s/\bhw\b/sw/g'
plants 0 '^1 planted bugs, 1 caught$' "$lost"
plants 0 'caught made:2: word hw hw/README.md: a word is lost' '# a comment' "$lost"
plants 0 '^2 planted bugs, 2 caught$' "$lost" '' 'hw/README.md | - | - | word hw hw/README.md |' '    s/hw/wh/g' '    s/\bw/v/g'
[ "$(wc -l <"$PLANTED/sound")" = 3 ] || fail 'a check that two bugs share ran twice without a bug'
grep -qF $'caught\t-\thw/README.md: s/hw/wh/g; s/\\bw/v/g\tword' "$PLANTED/out/results" || fail 'the results do not show the edit'

plants 1 'error: made:1: there is no file hw/GONE.md' "${lost/README/GONE}"
options=(--list)
plants 1 'error: made:1: there is no file hw/GONE.md' "${lost/README/GONE}"
plants 0 '^made:1 .* a word is lost$' "$lost"
options=(-j 2)
plants 1 'error: made:2: the edit changes nothing in hw/README.md' \
    "$lost" 'hw/README.md | - | x | word hw hw/README.md | s/no such word//'
plants 1 'error: made:1: the edit changes nothing in hw/rules.mk' \
    'hw/README.md hw/rules.mk | - | x | word hw hw/README.md | s/README/&/; s/^# hw$//'
plants 1 'error: made:1: sed: ' 'hw/README.md | - | x | word hw hw/README.md | s/hw'
plants 1 "error: made:1: there is no kind of check 'guess'" "${lost/word hw/guess hw}"
plants 1 'error: made:1: there is no word unknown' "${lost/word hw/word unknown}"
plants 1 'error: made:1: there is no bench tests/rtl/no_tb.v' "${lost/word hw/bench no_tb}"
plants 1 'error: made:1: there is no proof no_proof' "${lost/word hw/proof no_proof}"
plants 1 'error: made:1: there is no script tests/rtl/none' "${lost/word hw/script tests/rtl/none}"
plants 1 'error: made:1: not five fields' 'hw/README.md | - | s/hw//'
plants 1 'error: made:1: the check fails without the bug' "${lost/word hw/word nowhere_at_all}"
plants 1 'error: made:1: not built' 'hw/README.md | - | x | word unbuilt tests/planted/test_plant.sh | s/hw//'
plants 1 '^2 planted bugs, 1 caught$' "$lost" 'hw/README.md | - | x | word fabric hw/README.md | s/\bhw\b/sw/'
grep -q 'missed: made:2: x' "$work/log" || fail 'the bug that was missed is not named'
plants 1 'MISSED made:1' 'hw/README.md | - | x | word hw hw/README.md ; word fabric hw/README.md | s/\bhw\b/sw/g'

# One of the table; the others still have to apply.
options=(--drawn)
plants 0 '^1 planted bugs, 1 caught$' "$lost" '# only in test-long' \
    'hw/README.md | - | x | word fabric hw/README.md | s/\bhw\b/sw/'
plants 1 'error: made:2: there is no file' "$lost" "${lost/README/GONE}"
options=(made:2)
plants 0 '^1 planted bugs, 1 caught$' "${lost/word hw/word nowhere_at_all}" "$lost"
options=('hw/G*')
plants 1 "is called 'hw/G\*'" "$lost"

# A bench: a bug is found by the rule that its error names; one that breaks nothing is missed, one with a slip does not compile.
options=()
timer='hw/soc/clint.v | - | late | bench clint_tb | s/now\[31:0\] >= mtimecmp/now[31:0] > mtimecmp/'
plants 0 '^1 planted bugs, 1 caught$' "$timer"
plants 1 'MISSED' "${timer/| - |/| Z9 |}"
plants 1 'MISSED' 'hw/soc/clint.v | - | nothing | bench clint_tb | s/^endmodule/\/\/ &\n&/'
plants 1 'not built' "${timer/%mtimecmp\//mtimecmp[\/}"
[ "$(cat hw/README.md hw/soc/clint.v | cksum)" = "$before" ] || fail 'a bug was planted in the tree itself'
verdict test_plant
