#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 900 s
# The search for deadlocks finds none in the fabric as it is, in 250 runs, with LONG in 1100. tests/planted/deadlock.bugs switches
# rules off.
# needs: build/deadlock_search
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
seed=${SEED:-1} runs=${LONG:+1100}
if ! build/deadlock_search --seed "$seed" --runs "${runs:-250}" >"$TMPDIR/log" 2>&1; then
    grep -v '^|' "$TMPDIR/log"
    echo "FAIL a hang, or a packet that is lost"
    exit 1
fi
grep '^| all' "$TMPDIR/log"
build/deadlock_search --fabric january --seed "$seed" --runs "${runs:-120}" --jobs 1 >"$TMPDIR/log" 2>&1 ||
    { grep -v '^|' "$TMPDIR/log"; echo "FAIL january: a hang, or a packet that is lost"; exit 1; }
echo PASS
