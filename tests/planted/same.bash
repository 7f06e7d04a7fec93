# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# `same ARGUMENT...`: not a bug, but a change that must change nothing: `postroad sim ARGUMENT...` prints the same figures with it.
# shellcheck source=tests/planted/build.bash
source tests/planted/build.bash

same_needs() {
    echo build/postroad
}

# same_figures FOLDER ARGUMENT...: of the run, but for what it costs.
same_figures() {
    (cd "$1" && exec timeout 300 build/postroad sim --seed "$SEED" --quiet --json "${@:2}") </dev/null |
        sed -E 's/"(cpu_seconds|node_clocks_per_cpu_second|wall_seconds|seconds)":[0-9.]*,?//g'
}

same_sound() {
    [[ $(same_figures . "$@") == *'"result":"complete"'* ]]
}

same_judge() {
    planted_program "$1" postroad >&2 || return 2
    if cmp <(same_figures . "${@:2}") <(same_figures "$@") >&2; then echo 'the same run'; else return 1; fi
}
