# SPDX-License-Identifier: ISC
# For tests of checkpoints, behind tests/sim/sim_results.bash: runs with one process or several ranks.
# shellcheck shell=bash disable=SC2154  # work, seed, postroad, out, err: of sim_results.bash
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TMPDIR=$work
folder=$work/checkpoint

# on RANKS ARGUMENTS...: `postroad sim` on so many ranks, in the place of this process or subshell.
on() {
    local ranks=$1 launch=()
    shift
    [ "$ranks" = 1 ] || launch=(mpirun --oversubscribe -n "$ranks")
    exec "${launch[@]}" "$postroad" sim --json --quiet "$@" >"$out" 2>"$err"
}

# ends CODE RANKS ARGUMENTS...: runs it and expects that exit code.
ends() {
    local expected=$1 status=0
    shift
    (on "$@") || status=$?
    [ $status = "$expected" ] || fail "exit code $status, expected $expected: $*: $(tail -n 3 "$err")"
}

# printed: what the last run has printed, without what a run costs, and its errors but those about checkpoints.
printed() {
    costless "$out"
    sed -n "\|$folder|d; /^postroad/p" "$err"
}

# undisturbed CODE ARGUMENTS...: what such a run prints, and its exit code, is what all others are compared with.
undisturbed() {
    code=$1
    arguments=(--seed "$seed" --engine functional "${@:2}")
    ends "$code" 1 "${arguments[@]}"
    printed >"$work/undisturbed"
}

# same WHAT: the last run has printed the same.
same() {
    printed | cmp - "$work/undisturbed" >&2 || fail "$1: the run prints something else"
}

# clock: of the checkpoint; 0 if there is none.
clock() {
    if [ -e "$folder/manifest" ]; then sed -n 's/^clock = //p' "$folder/manifest"; else echo 0; fi
}

# with_checkpoints RANKS EVERY: such a run is as without, and leaves its last checkpoint.
with_checkpoints() {
    rm -rf "$folder"
    ends "$code" "$1" "${arguments[@]}" --checkpoint "$folder,every=$2"
    same "$1 ranks, checkpoints every $2"
}

# resumed RANKS [ARGUMENTS...]: goes on from the checkpoint, and prints what an undisturbed run does.
resumed() {
    local ranks=$1 from
    shift
    from=$(clock)
    ends "$code" "$ranks" --resume "$folder" "$@"
    same "$ranks ranks, from clock $from"
}

# refused TEXT RANKS ARGUMENTS...: exit code 1, and this error.
refused() {
    local text=$1
    shift
    ends 1 "$@"
    grep -q -- "$text" "$err" || fail "$*: $(grep -m 1 postroad "$err"), expected '$text'"
}
