# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# `script PATH ARGUMENT...`: a script, run inside the tree with the bug. It has to fail, and a line of what it prints has to hold
# FAIL, FAULT or error: and the rule, where the bug names one. The programs of build that it names are built with the bug.
# shellcheck source=tests/planted/build.bash
source tests/planted/build.bash

script_exists() {
    [ -x "$1" ] || { echo "there is no script $1"; return 1; }
}

script_tested() {
    [[ $1 == tests/*/test_*.sh ]]
}

script_needs() {
    [ -e "$1" ] || return 0
    planted_sources "$1" | xargs sed -nE 's/^# needs( only)?: //p' | tr ' ' '\n'
    grep -q '^# needs only: ' "$1" || echo all
}

# script_end MARK: ends what the script has left running.
script_end() {
    local environment
    for environment in $(grep -lz "^PLANTED_MARK=$1\$" /proc/[0-9]*/environ 2>/dev/null); do
        kill -KILL "${environment//[!0-9]/}" 2>/dev/null
    done
}

script_sound() {
    local TMPDIR
    TMPDIR=$(mktemp -d) && export TMPDIR
    timeout 600 "$@" </dev/null
}

script_judge() {
    local tree=$1 names status
    shift
    mapfile -t names < <(planted_names "$1")
    planted_programs "$tree" "${names[@]}" >&2 || return 2
    (ulimit -c 0; cd "$tree" && PLANTED_MARK=$TMPDIR exec timeout 600 "$@") >"$TMPDIR/output" 2>&1 </dev/null
    status=$?
    script_end "$TMPDIR"
    if [ $status -ne 0 ]; then
        grep -a -E '(FAIL|FAULT|error:)' "$TMPDIR/output" | grep -m 1 -E "${RULE:+\b$RULE\b}" | cut -c 1-200 && return
    fi
    tail -n 20 "$TMPDIR/output" >&2
    return 1
}
