# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# `root CHECK`: a check that only root can do. It is skipped for other users.

root_exists() {
    check_exists "${FUNCNAME[0]}" "$@"
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
