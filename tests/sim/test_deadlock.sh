#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 900 s
# The search for deadlocks finds none in the fabric as it is, and one when a rule is switched off (deadlock_planted does that for
# every rule against hanging, in minutes; here only that its bugs are there).
# needs: build/deadlock_search
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
seed=${SEED:-1}
if ! build/deadlock_search --seed "$seed" --runs 1100 >"$TMPDIR/log" 2>&1; then
    grep -v '^|' "$TMPDIR/log"
    echo "FAIL a hang, or a packet that is lost"
    exit 1
fi
grep '^| all' "$TMPDIR/log"
build/deadlock_search --fabric january --seed "$seed" --runs 200 --jobs 1 >"$TMPDIR/log" 2>&1 ||
    { grep -v '^|' "$TMPDIR/log"; echo "FAIL january: a hang, or a packet that is lost"; exit 1; }
tests/sim/deadlock_planted --check || { echo "FAIL a planted bug that changes nothing"; exit 1; }
found=$(RUNS=440 tests/sim/deadlock_planted never_times_out)
echo "$found"
if ! grep -q '^what stands still in clock ' build/deadlock/never_times_out/log; then
    echo "FAIL a planted deadlock is not found, or not drawn"
    exit 1
fi
echo PASS
