#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The bitstream of a board (in make test-long, of all), built with the real tools: within its budgets, no more than 2 % larger
# than boards/budget.csv and boards/README.md tell, and firmware can take the place of what is in an iCE40's RAM.
# time limit: 300 s
# needs only: build/bitstream/hx8k_b_evn/grid-2x2/report
# long needs: $(ALL_BOARDS:%=build/bitstream/%/grid-2x2/report)
set -euo pipefail
cd "$(dirname "$0")/../.."
export YOWASP_CACHE_DIR=$PWD/build/venv/cache # there may be no home folder

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf '%s\n' "$@"
    exit 1
}

# column FILE BOARD NUMBER
column() {
    awk -F , -v board="$2" -v number="$3" '$1 == board && $2 == "grid-2x2" { print $number }' "$1"
}

mkdir -p build/tests/boards
boards/collect --check
boards=(boards/hx8k_b_evn/board.conf)
[ -z "${LONG:-}" ] || boards=(boards/*/board.conf)
for board in "${boards[@]}"; do
    board=$(basename "$(dirname "$board")") folder=build/bitstream/$board/grid-2x2
    case $(sed -n 's/^family = //p' "boards/$board/board.conf") in
        ice40-*) built='top.asc top.bin' ;;
        ecp5-*) built='top.config top.bit' ;;
        *) built='top.pnr.json top.fs' ;;
    esac
    for file in parameters.vh top.json $built report inputs; do
        [ -s "$folder/$file" ] || fail "$folder/$file is missing"
    done
    output=$(make bitstream BOARD="$board")
    [[ $output == *"$folder is up to date"* ]] || fail "'make bitstream BOARD=$board' does more than it has to:" "$output"
    cells=$(column "$folder/report" "$board" 3) before=$(column boards/budget.csv "$board" 3)
    rams=$(column "$folder/report" "$board" 5)
    [ $((100 * cells)) -le $((102 * before)) ] && [ "$rams" -le "$(column boards/budget.csv "$board" 5)" ] ||
        fail "$board: $cells cells and $rams RAMs, boards/budget.csv says $before: make it smaller, or run 'make boards-report'" \
            "and commit boards/budget.csv and boards/README.md with the reason"
    echo "$board: $cells cells, $before in boards/budget.csv; $rams RAMs; $(column "$folder/report" "$board" 7) MHz"
done

# In and out again: all of RAM was found, and nothing else was changed.
folder=build/bitstream/hx8k_b_evn/grid-2x2
# No two columns of bits are alike, or icebram would not find them.
build/venv/bin/yowasp-icebram -g -s 3 32 2048 >build/tests/boards/firmware.hex 2>"$work/log"
boards/with_firmware hx8k_b_evn grid-2x2 build/tests/boards/firmware.hex "$work/with.bin"
cmp -s "$work/with.bin" $folder/top.bin && fail 'firmware changes nothing in the bitstream'
[ "$(stat -c %s "$work/with.bin")" -eq "$(stat -c %s $folder/top.bin)" ] || fail 'firmware changes the size of the bitstream'
boards/with_firmware hx8k_b_evn grid-2x2 $folder/image.hex "$work/back.bin" >"$work/log" 2>&1 &&
    fail 'the RAM that a bitstream has anyway was put into it'
grep -q 'the RAM was not found' "$work/log" || fail 'with_firmware fails for another reason:' "$(cat "$work/log")"

# The other way round: where the firmware stands now, icebram finds all of it.
build/venv/bin/yowasp-icebram build/tests/boards/firmware.hex $folder/image.hex <"$work/with.bin.asc" \
    >"$work/back.asc" 2>"$work/log" ||
    fail 'icebram does not find the firmware:' "$(cat "$work/log")"
cmp "$work/back.asc" $folder/top.asc || fail 'the contents of RAM did not come back'
