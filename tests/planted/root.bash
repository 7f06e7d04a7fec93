# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# `root CHECK`: a check that only root can do. It is skipped for other users.

root_exists() {
    back_end "$1" || { echo "there is no kind of check '$1'"; return 1; }
    ! declare -F "${1}_exists" >/dev/null || "${1}_exists" "${@:2}"
}

root_tested() {
    back_end "$1" && declare -F "${1}_tested" >/dev/null && "${1}_tested" "${@:2}"
}

root_needs() {
    check_needs "$@"
}

root_sound() {
    [ "$(id -u)" != 0 ] || { back_end "$1" && "${1}_sound" "${@:2}"; }
}

root_judge() {
    [ "$(id -u)" = 0 ] || { echo "skipped, only root can be two users"; return 0; }
    back_end "$2" && "${2}_judge" "$1" "${@:3}"
}
