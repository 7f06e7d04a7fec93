# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# `source tests/expect.bash`, in the tree's folder.

# expect STATUS TEXT COMMAND...: its exit status, and text that its output must hold; else the test ends.
expect() {
    local wanted=$1 text=$2 status=0 output
    shift 2
    output=$("$@" 2>&1) || status=$?
    if [ "$status" -ne "$wanted" ] || ! grep -qF -- "$text" <<<"$output"; then
        echo "'$*': exit status $status, expected $wanted and '$text' in:"
        echo "$output"
        exit 1
    fi
}
