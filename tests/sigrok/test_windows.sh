#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# PulseView and Wireshark open samples of boards/samples with the decoders and the dissector of the tree, in windows. These look
# like the pictures in the manuals: at most 2000 of 576000 pixels differ.
# runs in: test-long
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/work.bash
source tests/work.bash

tests/sigrok/windows "$work" || fail "no pictures"
for picture in host-tools/sigrok/pulseview.png host-tools/wireshark/wireshark.png; do
    differ=$(compare -metric AE -fuzz 10% "$picture" "$work/${picture##*/}" null: 2>&1)
    [ "${differ%%.*}" -le 2000 ] || fail "$picture: $differ pixels differ from what tests/sigrok/windows takes today"
    [ "$(stat -c %s "$picture")" -lt 100000 ] || fail "$picture is larger than 100 KB"
done
verdict windows
