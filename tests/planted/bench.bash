# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154  # work: of tests/plant
# `bench NAME [+PLUSARG...]`: tests/rtl/NAME.v under Icarus Verilog. It has to print an error, with SEED or one of the two seeds
# behind it, as a seed may hide a bug; an error that names the rule, where the bug names one. It is stopped there. Without the bug it
# may find no error in its first seconds; that it passes to its end is shown by the test of its name.
bench_limit=300 # seconds of processor time
bench_first=5   # the same, without the bug

bench_exists() {
    [ -f "tests/rtl/$1.v" ] || { echo "there is no bench tests/rtl/$1.v"; return 1; }
}

bench_tested() {
    case "${*:2}" in
        '' | +errors=1) ! grep -q 'runs in: test-long' "tests/rtl/$1.v" ;;
        *) return 1 ;;
    esac
}

bench_compile() {
    tests/rtl/compile_bench "$1" "$work/once/$1.vvp"
}

# bench_passes SEED NAME PLUSARG...: without the bug.
bench_passes() {
    local number=$1 name=$2 output
    shift 2
    once "compile $name" bench_compile "$name" || return
    output=$(ulimit -t $bench_first; stdbuf -oL vvp -n "$work/once/$name.vvp" "+seed=$number" +long "$@" </dev/null 2>&1)
    grep -E '^FAIL|error:' <<<"$output" && return 1
    return 0
}

bench_sound() {
    once "seed $SEED $*" bench_passes "$SEED" "$@"
}

# bench_finds SEED NAME PLUSARG...: 0 and the error, as soon as the bench with the bug has printed it.
bench_finds() {
    local number=$1 name=$2 line status=1 output pattern="error:"
    [ -z "$RULE" ] || pattern="error:.*[^0-9a-zA-Z_]$RULE([^0-9a-zA-Z_]|\$)"
    shift 2
    exec {output}< <(ulimit -t $bench_limit
        exec stdbuf -oL vvp -n "$TMPDIR/$name.vvp" "+seed=$number" +long "$@" 2>&1 </dev/null)
    while [ $status = 1 ] && read -r line; do
        if [[ $line =~ $pattern || -z $RULE && $line == FAIL* ]]; then
            status=0
            echo "$line"
            kill $! 2>/dev/null
        fi
        echo "$line" >>"$TMPDIR/$name.log"
    done <&"$output"
    wait $!
    exec {output}<&-
    return $status
}

bench_judge() {
    local tree=$1 name=$2 number
    shift 2
    (cd "$tree" && tests/rtl/compile_bench "$name" "$TMPDIR/$name.vvp") >&2 || return 2
    for number in "$SEED" $((SEED + 1)) $((SEED + 2)); do
        [ "$number" = "$SEED" ] || once "seed $number $name $*" bench_passes "$number" "$name" "$@" || return 3
        ! bench_finds "$number" "$name" "$@" || return 0
    done
    tail -n 20 "$TMPDIR/$name.log" >&2
    return 1
}
