# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# `sim CODE RESULT ARGUMENT...`: `postroad sim ARGUMENT...` with the bug. It has to end with that exit code and result, and say what is
# wrong. Without the bug it ends otherwise.
# shellcheck source=tests/planted/build.bash
source tests/planted/build.bash

sim_needs() {
    printf '%s\n' build/postroad build/sim/fabric-cutthrough-16-4-32-64/site.so
}

# sim_ends FOLDER CODE RESULT ARGUMENT...: it does so; prints the diagnosis.
sim_ends() {
    local folder=$1 code=$2 result=$3 status
    shift 3
    (cd "$folder" && exec timeout 300 build/postroad sim --seed "$SEED" --quiet --json "$@") >"$TMPDIR/out" 2>"$TMPDIR/errors" </dev/null
    status=$?
    echo "exit code $status: $(tail -n 1 "$TMPDIR/out" | grep -oE '"(result|diagnosis)":"[^"]*"' | tr '\n' ' ')$(tail -n 1 "$TMPDIR/errors")"
    [ $status = "$code" ] && tail -n 1 "$TMPDIR/out" | grep -F "\"result\":\"$result\"" >/dev/null
}

sim_sound() {
    ! sim_ends . "$@"
}

sim_judge() {
    planted_programs "$1" postroad >&2 || return 2
    sim_ends "$@"
}
