#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# A mesh ends when it is told to, and `up` too. Again and again up and at once down; and a signal at every moment of the beginning
# of `up`, after which either nothing is left, or the mesh is up and `up` says so.
# environment: ROUNDS (10): of up and down, and of signals for each of the two; SEED draws the moments
# time limit: 3600 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash up-down
rounds=${ROUNDS:-10}
base=$directory/postroad-$(id -u)
mesh=$directory/pair.mesh

# Up, and down at once. `down` names a daemon that hangs, and kills it after ten seconds.
check_cycles() {
    local round
    for ((round = 0; round < rounds; round++)); do
        expect 0 '^up:pair$' "$postroad" up "$mesh" "$@"
        expect 0 '^$' "$postroad" down pair
        [[ $said != *killing* ]] || fault "down $round of $*: $said"
    done
}

# nothing_is_left WHEN: neither a process nor a directory.
nothing_is_left() {
    local left
    if compgen -G "$base/*" >/dev/null; then fault "files are left $1: $(ls -R "$base")"; fi
    left=$(grep -lz "^XDG_RUNTIME_DIR=$directory\$" /proc/[0-9]*/environ 2>/dev/null | grep -v "/$$/")
    for left in $left; do
        left=${left%/environ}
        if [ "$(cat "$left/comm" 2>/dev/null)" = postroad ]; then fault "a process is left $1: ${left#/proc/}"; fi
    done
}

# signalled SIGNAL MICROSECONDS: `up`, and a signal so long after its start.
signalled() {
    local pid status
    trap - EXIT # a signal may find the shell that is to become `up`, which has the trap too
    "$postroad" up "$mesh" --nodes native >"$directory/up" 2>&1 </dev/null &
    pid=$!
    trap tidy_up EXIT
    sleep "0.$(printf %06d "$2")"
    kill "-$1" $pid 2>/dev/null
    wait $pid
    status=$?
    case $status in
        0) # it came too late
            grep -q '^up:pair$' "$directory/up" || fault "status 0 after $2 us, but: $(cat "$directory/up")"
            expect 0 '' "$postroad" map --gateway up:pair
            expect 0 '' "$postroad" down pair ;;
        130 | 143) nothing_is_left "after SIG$1 at $2 us" ;;
        *) fault "SIG$1 after $2 us: status $status: $(cat "$directory/up")" ;;
    esac
    statuses+=("$status")
}

check_signals() {
    local round signal
    statuses=()
    RANDOM=${SEED:-1}
    for signal in INT TERM; do
        for ((round = 0; round < rounds; round++)); do
            signalled $signal $((RANDOM * 50000 / 32768))
        done
    done
    printf 'signals: %s\n' "$(printf '%s\n' "${statuses[@]}" | sort | uniq -c | tr -s ' \n' ' ')"
}

printf '[mesh]\ntopology=grid\nsize=2x1\nword_width=16\n' >"$mesh"
expect 0 '^up:pair$' "$postroad" up "$mesh" --nodes native # builds what there is to build
expect 0 '^$' "$postroad" down pair
check_cycles --nodes native
check_cycles --nodes native
check_signals
[ $faults = 0 ] && echo "all good"
[ $faults = 0 ]
