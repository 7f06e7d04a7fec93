# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# What the tests of verbs share: `source tests/host-tools/verbs.bash NAME`, in the tree's folder. A folder of the test's own, in
# which its meshes have their run directories, too; both are gone at its end, with every mesh and the processes `helpers`,
# stopped ones too. `faults` counts.
source tests/tools.bash
directory=$(mktemp -d "${TMPDIR:-/tmp}/postroad-$1.XXXXXX")
export XDG_RUNTIME_DIR=$directory
unset POSTROAD_GATEWAY
postroad=build/postroad
faults=0
helpers=()

end_helpers() {
    local helper
    for helper in "${helpers[@]}"; do kill "$helper" && kill -CONT "$helper"; done 2>/dev/null
    [ ${#helpers[@]} = 0 ] || wait "${helpers[@]}" 2>/dev/null
}

# shellcheck disable=SC2317  # the trap calls it
tidy_up() {
    "$postroad" down --all --quiet 2>/dev/null
    end_helpers
    rm -rf "$directory"
}
trap tidy_up EXIT

# start OUTPUT COMMAND...: in the background; its process joins `helpers`.
start() {
    local output=$1
    shift
    : >"$output"    # here, or an earlier text may be read from it before the process in the background gets to it
    "$@" >"$output" 2>&1 </dev/null &
    helpers+=($!)
}

# environment: FIRST_FAULT: 1 to end at the first, for planted bugs
fault() {
    echo "FAULT: $1"
    faults=$((faults + 1))
    [ -z "${FIRST_FAULT:-}" ] || exit 1
}

# expect STATUS TEXT COMMAND...: the exit status, and TEXT (a regular expression) somewhere in what it says, which stays in $said.
# environment: EXPECT_SECONDS (100): as long as a command may take, or what a test waits for
expect() {
    local wanted=$1 text=$2 status
    shift 2
    said=$(timeout "${EXPECT_SECONDS:-100}" "$@" 2>&1 </dev/null)
    status=$?
    [ "$status" = "$wanted" ] || fault "exit status $status, expected $wanted: $* : $said"
    grep -Eq -- "$text" <<<"$said" || fault "nothing like '$text' from: $* : $said"
}

# run_checks CHECK...: check_CHECK, one after the other, and the verdict.
run_checks() {
    local check
    for check in "$@"; do "check_$check"; done
    [ $faults = 0 ] && echo "all good"
    [ $faults = 0 ]
}

# processor_ticks PROCESS
processor_ticks() {
    awk '{ print $14 + $15 }' "/proc/$1/stat"
}

# within_time COMMAND...: waits until it succeeds. False: it has not in EXPECT_SECONDS.
within_time() {
    local end=$((SECONDS + ${EXPECT_SECONDS:-100}))
    until "$@"; do
        if [ $SECONDS -ge $end ]; then return 1; fi
        sleep 0.05
    done
}

# await FILE TEXT: until the file has it.
await() {
    within_time grep -Eqs -- "$2" "$1" || fault "nothing like '$2' in $1: $(cat "$1")"
}

# node_at PATH OPTION...: imitated nodes behind a console at this socket, until node_gone.
node_at() {
    rm -f "$1"
    : >"$directory/node.log" # or the nodes before these are taken for ready
    build/tests/host-tools/imitate node "${@:2}" "$1" >"$directory/node.log" 2>&1 &
    node=$!
    helpers+=("$node")
    await "$directory/node.log" ready
}

node_gone() {
    kill "$node"
    wait "$node" 2>/dev/null
}

# rests LIMIT COMMAND...: the number that the command prints grows by so much at most in 2 s. What goes before may take a while
# to end, hence several looks.
rests() {
    local before after tries
    for ((tries = 0; tries < 5; tries++)); do
        before=$("${@:2}")
        sleep 2
        after=$("${@:2}")
        if [ $((after - before)) -le "$1" ]; then return; fi
    done
    fault "never at rest: ${*:2} grew by $((after - before)) in 2 s, expected $1 at most"
}
