#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The table of wires in boards/README.md names, for each link of each board, the FPGA's pins that board.conf has as the first and
# the third pin of its connector (that pins.* has them too: tests/boards/test_pins.sh), and a ground.
# needs only: build/generate_board
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/work.bash

# wires BOARD LINK: "FIRST THIRD GROUND" of its row, which may be that of several boards; the pins in brackets.
wires() {
    local pin='[^|(]*(\([A-Z0-9]*\))'
    sed -n "s/^| [^|]*\`$1\`[^|]* | $2 | $pin | $pin | \([^|]*\) |\$/\1 \2 \3/p" "${readme:-boards/README.md}"
}

check_board() {
    local board=$1 settings side link k row pins
    settings=$(build/generate_board "$board" --list)
    side=$(sed -n 's/^site.side=//p' <<<"$settings")
    for link in east west north south; do
        read -r -a pins <<<"$(sed -n "s/^connectors.$link=.*: //p" <<<"$settings")"
        for ((k = 0; k < side; k++)); do
            row=$(wires "$board" "$link$([ "$k" = 0 ] || echo $((k + 1)))")
            [[ $row == "${pins[4 * k]} ${pins[4 * k + 2]} "?* ]] ||
                fail "$board, $link $k: the wires are '$row', expected ${pins[4 * k]} ${pins[4 * k + 2]} and a ground"
        done
    done
}

for conf in boards/*/board.conf; do
    check_board "$(basename "$(dirname "$conf")")"
done
[ $failures -eq 0 ] || exit 1

# A row with another pin is found.
readme=$TMPDIR/README.md
sed '/^| `icebreaker` | east /s/(46)/(44)/' boards/README.md >"$readme"
(check_board icebreaker; [ $failures -eq 1 ]) >"$TMPDIR/log" || fail 'a wrong pin in the table was not found'
verdict test_wires
