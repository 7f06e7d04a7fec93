# SPDX-License-Identifier: ISC
# For tests of `postroad sim`: runs it and reads its JSON. Source this from the project's top folder.

source tests/tools.bash
postroad=build/postroad
seed=${SEED:-1}
failures=0

exec {failed_to}>&2

# environment: FIRST_FAULT: 1 to end at the first, for planted bugs
fail() {
    echo "FAIL $*" >&"$failed_to"
    failures=$((failures + 1))
    [ -z "${FIRST_FAULT:-}" ] || exit 1
}

# verb CODE VERB ARGUMENTS...: runs `postroad VERB` and expects that exit code; stdout and stderr go to $out and $err.
verb() {
    local expected=$1 status=0
    shift
    "$postroad" "$@" >"$out" 2>"$err" || status=$?
    if [ "$status" -ne "$expected" ]; then
        fail "$*: exit code $status, expected $expected"
        sed 's/^/    /' "$err" | tail -n 5 >&2
    fi
}

# run CODE ARGUMENTS...: the same of `postroad sim`, with the test's seed.
run() { verb "$1" sim --seed "$seed" "${@:2}"; }

# value KEY [OBJECT]: a member of the JSON object in the last line of $out, or of an object in it.
value() {
    local text
    text=$(tail -n 1 "$out")
    if [ $# -eq 2 ]; then
        text=${text#*"\"$2\":{"}
        text=${text%%\}*}
    fi
    grep -o "\"$1\":\(\"[^\"]*\"\|[^,}]*\)" <<<"$text" | head -n 1 | cut -d : -f 2- | tr -d '"'
}

# expect WANTED KEY [OBJECT]
expect() {
    local wanted=$1 found
    shift
    found=$(value "$@")
    [ "$found" = "$wanted" ] || fail "$* is '$found', expected '$wanted'"
}

# The run in $out delivered everything exactly once.
expect_exactly_once() {
    local key
    expect "$(value expected)" deliveries
    for key in lost duplicated corrupted stray; do expect 0 $key; done
    expect false locked_up
    expect complete result
}

# costless FILE: a run's JSON without what the run costs, which differs from run to run.
costless() {
    sed -E 's/"(cpu_seconds|node_clocks_per_cpu_second)(_ci95)?":[^,}]*,//g' "$1"
}

# costless_csv FILE: the same of a CSV. The columns are counted from the last one, as a diagnosis before them may have commas.
costless_csv() {
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /cpu_second/) cost[NF - i] = 1 }
        { for (i in cost) $(NF - i) = ""; print }' "$1"
}

finish() {
    if [ "$failures" -ne 0 ]; then
        echo "FAIL: $failures failures, SEED=$seed"
        exit 1
    fi
    echo "PASS, SEED=$seed"
}

work=$(mktemp -d)
out=$work/out
err=$work/err
trap 'rm -rf "$work"' EXIT
