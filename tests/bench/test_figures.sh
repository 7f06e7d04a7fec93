#!/usr/bin/env bash
# The exact figures still hold: those that take few seconds are measured again, and each must be a line of
# tests/bench/figures.csv. After a change of hardware or firmware that moves them on purpose: make figures.
# needs: build/tests/bench/figures
set -euo pipefail
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d "${TMPDIR:-/tmp}/figures.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

build/tests/bench/figures --quick --csv "$scratch/now" >/dev/null
[ "$(wc -l <"$scratch/now")" -gt 50 ] || { echo "only $(wc -l <"$scratch/now") figures were measured"; exit 1; }
grep -vxFf tests/bench/figures.csv "$scratch/now" >"$scratch/changed" || exit 0
echo "not what tests/bench/figures.csv says (if that is meant, \`make figures\` writes it anew):"
while IFS= read -r line; do
    echo "  now     $line"
    echo "  before  $(grep -F "${line%,*}," tests/bench/figures.csv || echo nothing)"
done <"$scratch/changed"
exit 1
