#!/bin/bash
# SPDX-License-Identifier: ISC
# What tests/formal/proofs lists is proved: in `make test-long` all of it but for the longest rows, in `make test` what depends on
# something else than when it was last proved (tests/formal/proved, renewed by `make formal`). time limit: 1800 s
# needs only: nothing
# reads: hw
set -euo pipefail
cd "$(dirname "$0")/../.."

tests/formal/proof_keys >"${TMPDIR:-/tmp}/keys"
mapfile -t names < <(sort "${TMPDIR:-/tmp}/keys" | comm -23 - <(sort tests/formal/proved) | cut -d ' ' -f 1 | grep -v '_long$')
if [ -n "${LONG:-}" ]; then
    tests/formal/prove
    [ ${#names[@]} -eq 0 ] || { echo "tests/formal/proved is stale for ${names[*]}: make formal"; exit 1; }
elif [ ${#names[@]} -gt 0 ]; then
    tests/formal/prove "${names[@]}"
fi
echo "$(($(wc -l <"${TMPDIR:-/tmp}/keys") - ${#names[@]})) proofs are of what is here; proved again: ${names[*]:-none}"
