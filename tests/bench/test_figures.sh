#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The exact figures still hold: those that take few seconds are measured again, and each must be a line of
# tests/bench/results/figures.csv. After a change of hardware or firmware that moves them on purpose: make figures.
# needs: build/tests/bench/figures
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d "${TMPDIR:-/tmp}/figures.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# Tables have nanoseconds of the fabric that the meshes of the figures run.
report=hw/utilisation/report.csv
rate="ns at $(awk -F , '$1 "," $2 "," $3 "," $5 == "fabric,default,hx8k,16" { printf "%.0f", $9 }' $report) MHz"
if [ "$(tests/bench/figures_tables tests/bench/results/figures.csv | grep -o 'ns at [0-9]* MHz' | sort -u)" != "$rate" ]; then
    echo "the tables of tests/bench/figures_tables do not have '$rate', which $report has for fabric default"
    exit 1
fi

build/tests/bench/figures --quick >"$scratch/now"
[ "$(wc -l <"$scratch/now")" -gt 50 ] || { echo "only $(wc -l <"$scratch/now") figures were measured"; exit 1; }
grep -vxFf tests/bench/results/figures.csv "$scratch/now" >"$scratch/changed" || exit 0
echo "not what tests/bench/results/figures.csv says (if that is meant, \`make figures\` writes it anew):"
while IFS= read -r line; do
    echo "  now     $line"
    echo "  before  $(grep -F "${line%,*}," tests/bench/results/figures.csv || echo nothing)"
done <"$scratch/changed"
exit 1
