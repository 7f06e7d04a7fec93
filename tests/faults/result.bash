# SPDX-License-Identifier: ISC
# To be sourced by every script that plants bugs. Each calls fault_start, runs a check, then says what became of it; that
# goes as one line, tab-separated, into the file $FAULTS_RESULTS, if the caller (tests/faults/all) names one:
# verdict, rule (or - where none is numbered), the bug, the check, seconds.
# shellcheck shell=bash
fault_started=$EPOCHREALTIME

fault_start() {
    fault_started=$EPOCHREALTIME
}

# fault_result caught|MISSED RULE BUG CHECK
fault_result() {
    [ -n "${FAULTS_RESULTS:-}" ] || return 0
    local microseconds=$((${EPOCHREALTIME/./} - ${fault_started/./}))
    printf '%s\t%s\t%s\t%s\t%d.%d\n' "$1" "$2" "$3" "$4" $((microseconds / 1000000)) $((microseconds / 100000 % 10)) \
        >>"$FAULTS_RESULTS"
}

# fault_files SCRIPT: the files that a planted bug of the fabric, tests/faults/NAME.sed, changes. Fails with a reason if there
# is no such script or it names none.
fault_files() {
    local files
    files=$(sed -n 's/^# file: //p' "$1" 2>/dev/null)
    if [ -z "$files" ]; then
        echo "$1: no planted bug, or one that names no file" >&2
        return 1
    fi
    echo "$files"
}

# fault_plant SCRIPT TREE: changes these files in a copy of the tree. Fails with a reason if one of them stays as it is.
fault_plant() {
    local file files
    files=$(fault_files "$1") || return 1
    for file in $files; do
        sed -E -f "$1" "$file" >"$2/$file"
        if cmp -s "$file" "$2/$file"; then
            echo "$1 does not change $file" >&2
            return 1
        fi
    done
}
