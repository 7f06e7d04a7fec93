#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The bench of sites under QEMU, in a hurry: all its rows, with numbers in them.
# runs in: test-long
# needs: build/tests/bench/guests/guests
set -euo pipefail
cd "$(dirname "$0")/../.."

out=$(build/tests/bench/guests/guests 0.25)
echo "$out"
for sites in 1 2 4 8 16; do
    rows=$(grep -Ec "^\| $sites( \| [0-9]*[1-9][0-9.]*){2}" <<<"$out")
    [ "$rows" = 2 ] || { echo "FAIL $rows rows of $sites sites, expected 2"; exit 1; }
done
build/tests/bench/guests/guests 0 2>/dev/null && { echo "FAIL no time is enough"; exit 1; }
echo PASS
