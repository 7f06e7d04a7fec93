#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The tables of cells and MHz in the manuals of fabrics and links show hw/utilisation/report.csv, and that of
# hw/postman/phases.md shows phases.csv: a row that was measured again has to be written there, too.
# needs only: nothing
set -euo pipefail
cd "$(dirname "$0")/../.." || exit 1
source tests/tools.bash

faults=0

# figures DESIGN VARIANT: what a manual has behind the row's name: HX8K: cells, flops, block RAMs, MHz; ECP5, if
# it was measured: the same, no RAMs.
figures() {
    awk -F , -v design="$1" -v variant="$2" '
        $1 == design && $2 == variant && $5 == 16 { row[$3] = $0 }
        END {
            split(row["hx8k"], small, ",")
            printf "| %d | %d | %d | %.0f |", small[6], small[7], small[8], small[9]
            if (split(row["ecp5-25k"], large, ",")) printf " %d | %d | %.0f |", large[6], large[7], large[9]
        }' hw/utilisation/report.csv
}

# shows FILE: each row of its table whose name is that of a design.
shows() {
    local file=$1 design variant rows=0
    while read -r design variant; do
        rows=$((rows + 1))
        if ! grep "^| \`$design $variant\`" "$file" | grep -F "$(figures "$design" "$variant")" >/dev/null; then
            echo "$file: '$design $variant' does not show $(figures "$design" "$variant")"
            faults=$((faults + 1))
        fi
    done < <(grep -E '(\| [0-9]+ ){4}\|' "$file" | sed -nE 's/^\| `([a-z_]+) ([a-z0-9-]+)`.*/\1 \2/p')
    echo "$file: $rows rows"
    [ "$rows" -ge "$2" ] || { echo "$file: at least $2 rows expected"; faults=$((faults + 1)); }
}

shows hw/postman/README.md 6
shows hw/january/README.md 4
shows hw/csr/README.md 3
shows hw/wormlan/README.md 4
shows hw/board_link/README.md 1

while IFS=, read -r device phases cells _ brams mhz; do
    [ "$device" != device ] || continue
    row=$(printf '| %s | %d | %d | %d | %.0f |' "$device" "$phases" "$cells" "$brams" "$mhz")
    grep -F "$row" hw/postman/phases.md >/dev/null || { echo "hw/postman/phases.md has no $row"; faults=$((faults + 1)); }
done <hw/postman/phases.csv

[ $faults = 0 ] && echo PASS
exit $((faults != 0))
