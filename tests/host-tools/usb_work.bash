# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# What tests of verbs on a USB bus that is not there share: `source tests/host-tools/usb_work.bash`, in the tree's folder. A folder
# of the test's own, $work; fail counts.
# shellcheck source=tests/host-tools/usb_bus.bash
source tests/host-tools/usb_bus.bash
# shellcheck source=tests/work.bash
source tests/work.bash

# expect FILE TEXT: a regular expression, in a file of $work.
expect() {
    grep -qE -- "$2" "$work/$1" || fail "no '$2' in: $(cat "$work/$1")"
}
