# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154  # work: of tests/plant
# `proof NAME`: the proof of that name in tests/formal/proofs. A property has to be refuted; a proof that came to no answer, or that
# does not reach its covers, has found nothing.

proof_exists() {
    grep -q "^$1 " tests/formal/proofs || { echo "there is no proof $1 in tests/formal/proofs"; return 1; }
}

# proof_prove TREE NAME: with logs of its own.
proof_prove() {
    own_folder "$1" build && rm -rf "$1/build/formal" && mkdir "$1/build/formal" && (cd "$1" && tests/formal/prove "$2")
}

proof_sound() {
    proof_prove "$work/once/proof_$1" "$1"
}

proof_judge() {
    local log=$1/build/formal/$2.log
    if proof_prove "$1" "$2" >&2; then return 1; fi
    grep -m 1 -E 'proof did fail|was asserted in frame' "$log" && return
    tail -n 5 "$log" >&2
    ! grep -q '^ERROR' "$log" || return 2
    return 1
}
