#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# hw/utilisation/report.csv is true. A row whose sources are today's says to the last digit what is measured now; one whose
# sources have changed is marked in README.md, and cells of what a site is made of are at most 2 % above it on iCE40 HX8K.
# The cells of a small row, drawn by SEED, are measured; with LONG=1 any row whole, nine placements included, and cells.md and a
# row of hw/postman/phases.csv, too.
# needs only: nothing
# reads: hw README.md
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/expect.bash

csv=hw/utilisation/report.csv
rows='fabric.default.hx8k.16 fifo_buffer.upstream.hx8k.16 network_interface.all.hx8k.16'

# line FILE DESIGN.VARIANT.DEVICE.WIDTH: the row of the table.
line() {
    awk -F , -v row="$2" '$1 "." $2 "." $3 "." $5 == row' "$1"
}

# column NUMBER LINE
column() {
    cut -d , -f "$1" <<<"$2"
}

# measured [--cells] [--mapper NAME] ROW: now.
measured() {
    # shellcheck disable=SC2046  # the row's name is four words
    hw/utilisation/measure "${@:1:$#-1}" $(tr . ' ' <<<"${*: -1}")
}

# grown ROW CELLS LINE: whether so many cells are more than the table may be behind.
grown() {
    local before
    before=$(column 6 "$3")
    [ $((100 * $2)) -gt $((102 * before)) ] || return 1
    echo "$1: $2 cells, $csv says $before: more than 2 % above. Make it smaller, or run 'make report R=${1%%.*}'"
    echo "and commit hw/utilisation/report.csv and README.md with the reason"
}

# same_or_grown ROW LINE [--cells]: measured by the mapper of the table, in a sixth of the time; where a design with changed
# sources is larger by that one, by all of them.
same_or_grown() {
    local row=$1 said=$2 now columns=1-11
    [ -n "$said" ] || { echo "$row: $csv has no such line: run 'make report'"; return 1; }
    [ "${3:-}" != --cells ] || columns=1-8,10,11
    now=$(measured ${3:+"$3"} --mapper "$(column 10 "$said")" "$row")
    if [ "$(column 11 "$said")" = "$(column 11 "$now")" ]; then
        [ "$(cut -d , -f $columns <<<"$now")" = "$(cut -d , -f $columns <<<"$said")" ] && { echo "$row: as in $csv"; return; }
        printf '%s\n' "$row: with the same sources, measured now:" "$now" "$csv says:" "$said"
        return 1
    fi
    grown "$row" "$(column 6 "$now")" "$said" >/dev/null && now=$(measured --cells "$row")
    ! grown "$row" "$(column 6 "$now")" "$said" || return 1
    echo "$row: $(column 6 "$now") cells with sources of today, $(column 6 "$said") in $csv"
}

# drawn: a row of the table, by SEED, but for those of whole meshes, which take too long.
drawn() {
    awk -F , -v most="$([ "${LONG:-0}" = 1 ] && echo 1000000 || echo 300)" \
        'NR > 1 && $6 <= most && $3 != "ecp5-85k" { print $1 "." $2 "." $3 "." $5 }' $csv |
        shuf -n 1 --random-source=<(yes "${SEED:-1}")
}

# What is wrong is refused, and growth is seen.
expect 1 "usage:" hw/utilisation/measure fabric default hx8k
expect 1 "no such design" hw/utilisation/measure fabric fast hx8k 16
expect 1 "no such design" hw/utilisation/measure table default hx8k 16
expect 1 "expected hx8k" hw/utilisation/measure fabric default hx4k 16
expect 1 "expected a mapper" hw/utilisation/measure --mapper fast fabric default hx8k 16
expect 1 "expected a word width" hw/utilisation/measure fabric default hx8k 24
expect 1 "usage:" hw/utilisation/collect --all
expect 1 "usage:" hw/utilisation/breakdown all
expect 1 "was not measured" hw/utilisation/collect fabric.default.hx8k.64
expect 2 "no row begins with 'fabrik'" make report R=fabrik
row_of() { echo "link_guard,on-chip,hx8k,5,16,$1,25,0,,flow2,$2"; }
(
    measured() { row_of 61 now; }
    expect 0 "as in" same_or_grown link_guard.on-chip.hx8k.16 "$(row_of 61 now)" --cells
    expect 1 "with the same sources" same_or_grown link_guard.on-chip.hx8k.16 "$(row_of 60 now)" --cells
    expect 0 "sources of today" same_or_grown link_guard.on-chip.hx8k.16 "$(row_of 60 before)" --cells
    expect 1 "run 'make report R=link_guard'" same_or_grown link_guard.on-chip.hx8k.16 "$(row_of 59 before)" --cells
)
expect 1 "no such line" same_or_grown router.default.hx8k.16 "$(line $csv router.default.hx8k.16)" --cells

hw/utilisation/collect --check
status=0
for row in $(grep -Fxf <(printf '%s\n' $rows) <(hw/utilisation/collect --stale)); do
    same_or_grown "$row" "$(line $csv "$row")" --cells || status=1
done
row=$(drawn)
# shellcheck disable=SC2046  # an option or none
same_or_grown "$row" "$(line $csv "$row")" $([ "${LONG:-0}" = 1 ] || echo --cells) || status=1
if [ "${LONG:-0}" = 1 ]; then
    hw/utilisation/breakdown | diff hw/utilisation/cells.md - || status=1
    IFS=, read -r device phases _ < <(tail -n +2 hw/postman/phases.csv | shuf -n 1 --random-source=<(yes "${SEED:-1}"))
    hw/utilisation/phases measure "$device" "$phases" | grep -Fxf - hw/postman/phases.csv ||
        { echo "hw/postman/phases.csv: $device, $phases phases is another row now: make report-phases"; status=1; }
fi
exit $status
