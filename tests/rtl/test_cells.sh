#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The hardware has not grown unnoticed: cells of what a site is made of, on iCE40 HX8K, are at most 2 % above those of
# hw/utilisation/report.csv, and README.md shows that file's figures.
# needs only: nothing
# reads: hw README.md
set -euo pipefail
cd "$(dirname "$0")/../.."

csv=hw/utilisation/report.csv
rows='fabric,default fifo_buffer,upstream network_interface,all'

# column FILE DESIGN,VARIANT NUMBER: of the line for HX8K and 16-bit words.
column() {
    awk -F , -v row="$2,hx8k" -v number="$3" '$1 "," $2 "," $3 == row && $5 == 16 { print $number }' "$1"
}

# measured DESIGN,VARIANT [--mapper NAME]: cells now.
measured() {
    local row=$1
    shift
    hw/utilisation/measure --cells "$@" "${row%,*}" "${row#*,}" hx8k 16 | cut -d , -f 7
}

# compare FILE DESIGN,VARIANT CELLS: the verdict on a number of cells.
compare() {
    local before
    before=$(column "$1" "$2" 7)
    if [ -z "$before" ]; then
        echo "$2: $1 has no line for hx8k and 16-bit words: run 'make report'"
        return 1
    fi
    if [ $((100 * $3)) -gt $((102 * before)) ]; then
        echo "$2: $3 cells on hx8k, $1 says $before: more than 2 % above. Make it smaller, or run 'make report R=${2%,*}'"
        echo "and commit hw/utilisation/report.csv and README.md with the reason"
        return 1
    fi
    echo "$2: $3 cells, $before in $1"
}

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

# What is wrong is refused, and growth is seen.
expect 1 "usage:" hw/utilisation/measure fabric default hx8k
expect 1 "no such design" hw/utilisation/measure fabric fast hx8k 16
expect 1 "no such design" hw/utilisation/measure table default hx8k 16
expect 1 "expected hx8k" hw/utilisation/measure fabric default hx4k 16
expect 1 "expected a mapper" hw/utilisation/measure --mapper fast fabric default hx8k 16
expect 1 "expected a word width" hw/utilisation/measure fabric default hx8k 24
expect 1 "usage:" hw/utilisation/collect
expect 1 "usage:" hw/utilisation/breakdown all
expect 1 "was not measured" hw/utilisation/collect fabric.default.hx8k.64
expect 2 "no row begins with 'fabrik'" make report R=fabrik
before=$(mktemp)
echo fabric,default,hx8k,5,16,0,100,1,0,1.0 >"$before"
expect 0 "102 cells, 100" compare "$before" fabric,default 102
expect 1 "run 'make report R=fabric'" compare "$before" fabric,default 103
expect 1 "has no line" compare "$before" router,default 103
rm "$before"

hw/utilisation/collect --check
status=0
for row in $rows; do     # by the mapper of the table, in a sixth of the time; where that does not do, by all of them
    verdict=$(compare $csv "$row" "$(measured "$row" --mapper "$(column $csv "$row" 11)")") && echo "$verdict" && continue
    compare $csv "$row" "$(measured "$row")" || status=1
done
exit $status
