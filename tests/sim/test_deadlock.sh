#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 900 s
# The search for deadlocks finds none in the fabric as it is: in 1100 runs with LONG, else in those of them on one mesh, which
# SEED draws, as the sites for a mesh take longer to build than its runs. tests/planted/deadlock.bugs switches rules off.
# needs: build/deadlock_search
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
meshes=('hypercube 3' 'grid 3x3' 'torus 3x3' 'grid 4x1' 'torus 4x1' 'grid 2x3' 'torus 2x4' 'grid 2x2' 'torus 2x2' 'torus 5x1')
seed=${SEED:-1} options=(--runs 1100)
[ -n "${LONG:-}" ] || options+=(--mesh "${meshes[seed % ${#meshes[@]}]}")

# search NAME OPTION...
search() {
    if ! build/deadlock_search --seed "$seed" "${options[@]}" "${@:2}" >"$TMPDIR/log" 2>&1; then
        grep -v '^|' "$TMPDIR/log"
        echo "FAIL $1: a hang, or a packet that is lost"
        exit 1
    fi
    grep '^| all' "$TMPDIR/log"
}

search cutthrough
search january --fabric january --jobs 1
echo PASS
