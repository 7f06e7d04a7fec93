#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The search for deadlocks and losses on meshes of 2 to 6 sites a side with the simulator `functional`. `make search` has 100000
# runs of each fabric; these are a few of SEED, twice as many with LONG.
# needs only: build/deadlock_search
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# look FABRIC RUNS
look() {
    if ! build/deadlock_search --engine functional --fabric "$1" --seed "${SEED:-1}" --runs "$2" >"$log" 2>&1; then
        grep -vE '^[|]|^$' "$log" | head -n 5
        echo "FAIL $1: a hang, or a packet that is lost"
        exit 1
    fi
    echo "$1: $(grep '^| all' "$log")"
}

runs=$((${LONG:-0} ? 1500 : 750))
look cutthrough $((2 * runs))
look january $runs
echo PASS
