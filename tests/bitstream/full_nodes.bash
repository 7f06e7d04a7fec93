# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# What a script does with simulated boards that have full nodes: `source tests/bitstream/full_nodes.bash`, in the tree's folder. It
# has $postroad, a name for its boards ($name), the file that takes its commands to them ($commands), and a folder of its own ($work).
# Whatever ends the script, the boards and its jobs end with it.
postroad=build/postroad
work=$(mktemp -d)
name=${0##*/}-$$
# shellcheck disable=SC2034  # of the script
commands=${XDG_RUNTIME_DIR:-/tmp}/postroad-$(id -u)/$name/boards
jobs=()

finish() {
    local status=$?
    trap - EXIT
    [ ${#jobs[@]} -eq 0 ] || kill "${jobs[@]}" 2>/dev/null || true
    "$postroad" down --quiet --name "$name" >/dev/null 2>&1 || true
    rm -rf "$work"
    exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# expect STATUS PATTERN VERB...: it ends with that status and prints a line like that, within $patience seconds; else the script's
# `fail` says what it did.
expect() {
    local status=0 wanted=$1 pattern=$2
    shift 2
    # shellcheck disable=SC2154  # of the script
    "$postroad" "$@" --timeout "$patience" >"$work/output" 2>&1 || status=$?
    if [ $status -ne "$wanted" ] || ! grep -Eq -- "$pattern" "$work/output"; then
        fail "$*: exit status $status, expected $wanted and '$pattern': $(cat "$work/output")"
    fi
}
