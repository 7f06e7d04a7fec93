# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# `proof NAME`: the proof of that name in tests/formal/proofs. A property has to be refuted; a proof that came to no answer has
# found nothing. Without the bug, no property may be refuted in the time that the proof gets here.
proof_limit=5 # seconds of processor time a step, without the bug
proof_refuted='proof did fail|was asserted in frame'

proof_exists() {
    grep -q "^$1 " tests/formal/proofs || { echo "there is no proof $1 in tests/formal/proofs"; return 1; }
}

proof_sound() {
    local logs=build/formal/sound_$1
    tests/formal/prove -p -l $proof_limit -o "$logs" "$1" || ! grep -E "$proof_refuted" "$logs/$1.log"
}

# The solvers see no folder but those of the tree, and follow no links out of it.
proof_judge() {
    local tree=$1 name=$2 copy status
    copy=$(mktemp -d build/formal/planted.XXXXXX) && cp -rL "$tree/hw" "$copy/" || return 2
    tests/formal/prove -p -d "$copy/hw" -o "$copy" "$name" >&2
    status=$?
    cp "$copy/$name.log" "$TMPDIR/"
    rm -rf "$copy"
    [ $status != 0 ] || return 1
    grep -m 1 -E "$proof_refuted" "$TMPDIR/$name.log" && return
    tail -n 5 "$TMPDIR/$name.log" >&2
    ! grep -q '^ERROR' "$TMPDIR/$name.log" || return 2
    return 1
}
