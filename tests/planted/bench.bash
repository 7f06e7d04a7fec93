# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154  # work: of tests/plant
# `bench NAME [+PLUSARG...]`: tests/rtl/NAME.v under Icarus Verilog. It has to end with FAIL, with SEED or one of the two seeds
# behind it, as a seed may hide a bug; an error has to name the rule, where the bug names one. Without the bug it has to pass
# with each seed that was tried.
bench_limit=600  # seconds, on a machine that is busy

bench_exists() {
    [ -f "tests/rtl/$1.v" ] || { echo "there is no bench tests/rtl/$1.v"; return 1; }
}

# bench_run SEED PROGRAM PLUSARG...: its output.
bench_run() {
    local number=$1 program=$2
    shift 2
    timeout $bench_limit vvp -n "$program" "+seed=$number" "$@" </dev/null
}

bench_compile() {
    tests/rtl/compile_bench "$1" "$work/once/$1.vvp"
}

# bench_passes SEED NAME PLUSARG...: without the bug.
bench_passes() {
    local number=$1 name=$2 output=
    shift 2
    once "compile $name" bench_compile "$name" && output=$(bench_run "$number" "$work/once/$name.vvp" "$@")
    echo "$output"
    [[ $'\n'$output == *$'\nPASS'* && $'\n'$output != *$'\nFAIL'* ]]
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
        bench_run "$number" "$TMPDIR/$name.vvp" "$@" >"$log" 2>&1
        if grep -q '^FAIL' "$log" && { [ -z "$RULE" ] || grep -Eq "error:.*\b$RULE\b" "$log"; }; then
            grep -m 1 -E "error:.*${RULE:+\b$RULE\b}" "$log" || grep -m 1 '^FAIL' "$log"
            return 0
        fi
    done
    tail -n 20 "$log" >&2
    return 1
}
