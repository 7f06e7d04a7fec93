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
