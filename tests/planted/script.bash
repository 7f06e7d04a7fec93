# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# `script PATH ARGUMENT...`: a script, run inside the tree with the bug. It has to fail, and a line of what it prints has to hold
# FAIL, FAULT or error: and the rule, where the bug names one.

script_exists() {
    [ -x "$1" ] || { echo "there is no script $1"; return 1; }
}

script_sound() {
    local TMPDIR
    TMPDIR=$(mktemp -d) && export TMPDIR
    timeout 600 "$@" </dev/null
}

script_judge() {
    local tree=$1
    shift
    if (cd "$tree" && exec timeout 600 "$@") >"$TMPDIR/output" 2>&1 </dev/null; then
        tail -n 20 "$TMPDIR/output" >&2
        return 1
    fi
    grep -E '(FAIL|FAULT|error:)' "$TMPDIR/output" | grep -m 1 -E "${RULE:+\b$RULE\b}" && return
    tail -n 20 "$TMPDIR/output" >&2
    return 1
}
