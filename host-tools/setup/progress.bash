# SPDX-License-Identifier: ISC
# To be sourced. How scripts show that something long goes on: on a terminal a line that is drawn over itself, elsewhere a line
# every PROGRESS_SECONDS (default 10).
# shellcheck shell=bash
progress_next=$SECONDS
[ -t 1 ] || progress_next=$((SECONDS + ${PROGRESS_SECONDS:-10}))

# progress TEXT
progress() {
    local columns
    if [ -t 1 ]; then
        columns=$(tput cols 2>/dev/null) || columns=80
        printf '\r\033[K%s' "${1:0:columns - 1}"
    elif [ $SECONDS -ge $progress_next ]; then
        printf '%s\n' "$1"
        progress_next=$((SECONDS + ${PROGRESS_SECONDS:-10}))
    fi
}

progress_end() {
    if [ -t 1 ]; then printf '\r\033[K'; fi
}
