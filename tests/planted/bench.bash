# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154  # work: of tests/plant
# `bench NAME [+PLUSARG...]`: tests/rtl/NAME.v under Icarus Verilog. It has to end with FAIL, with SEED or one of the two seeds
# behind it, as a seed may hide a bug; an error has to name the rule, where the bug names one. Without the bug it may find no
# error in its first seconds; that it passes to its end is shown by the test of its name.
bench_limit=600 # seconds, on a machine that is busy
bench_first=5   # seconds of processor time without the bug

bench_exists() {
    [ -f "tests/rtl/$1.v" ] || { echo "there is no bench tests/rtl/$1.v"; return 1; }
}

bench_compile() {
    tests/rtl/compile_bench "$1" "$work/once/$1.vvp"
}

# bench_passes SEED NAME PLUSARG...: without the bug.
bench_passes() {
    local number=$1 name=$2 output
    shift 2
    once "compile $name" bench_compile "$name" || return
    output=$(ulimit -t $bench_first; stdbuf -oL vvp -n "$work/once/$name.vvp" "+seed=$number" "$@" </dev/null 2>&1)
    grep -E '^FAIL|error:' <<<"$output" && return 1
    return 0
}

bench_sound() {
    once "seed $SEED $*" bench_passes "$SEED" "$@"
}

bench_judge() {
    local tree=$1 name=$2 log=$TMPDIR/$2.log number
    shift 2
    (cd "$tree" && tests/rtl/compile_bench "$name" "$TMPDIR/$name.vvp") >&2 || return 2
    for number in "$SEED" $((SEED + 1)) $((SEED + 2)); do
        if [ "$number" != "$SEED" ]; then once "seed $number $name $*" bench_passes "$number" "$name" "$@" || return 3; fi
        timeout $bench_limit vvp -n "$TMPDIR/$name.vvp" "+seed=$number" "$@" >"$log" 2>&1 </dev/null
        if grep -q '^FAIL' "$log" && { [ -z "$RULE" ] || grep -Eq "error:.*\b$RULE\b" "$log"; }; then
            grep -m 1 -E "error:.*${RULE:+\b$RULE\b}" "$log" || grep -m 1 '^FAIL' "$log"
            return 0
        fi
    done
    tail -n 20 "$log" >&2
    return 1
}
