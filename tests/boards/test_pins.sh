#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The pins of all boards fit the ports of their tops and the packages of their FPGAs, and a wrong file of pins is found. The
# connectors have the genders that straight cables need. time limit: 300 s
# needs only: build/generate_board
set -euo pipefail
cd "$(dirname "$0")/../.."

planted=build/tests/boards/planted
mkdir -p build/tests/boards

# expect TEXT BOARD FILE SCRIPT: check_pins finds it when the board's file is changed by the sed script. `make test` tries every
# second one, from SEED on; LONG: all.
turn=${SEED:-1}
expect() {
    local text=$1 board=$2 file=$3 output
    turn=$((turn + 1))
    [ -n "${LONG:-}" ] || [ $((turn % 2)) = 0 ] || return 0
    rm -rf $planted
    cp -rL "boards/$board" $planted
    sed -i "$4" $planted/"$file"
    ! cmp -s $planted/"$file" "boards/$board/$file" || { echo "'$4' changes nothing in boards/$board/$file"; exit 1; }
    if output=$(tests/boards/check_pins "$board" $planted 2>&1) || ! grep -qF -- "$text" <<<"$output"; then
        echo "check_pins does not find '$text' in boards/$board/$file with '$4':"
        echo "$output"
        exit 1
    fi
}

for conf in boards/*/board.conf; do
    board=$(basename "$(dirname "$conf")")
    tests/boards/check_pins "$board" || exit 1
    echo "$board: pins, ports and package agree"
done

expect 'port uart_tx has no pin' icebreaker pins.pcf '/uart_tx/d'
expect 'port uart_tx has two pins' icebreaker pins.pcf 's/^set_io uart_tx 9.*/&\nset_io uart_tx 10/'
expect 'pin 35 has two ports' icebreaker pins.pcf 's/^set_io uart_tx 9/set_io uart_tx 35/'
expect 'uart_ty, which is no port' icebreaker pins.pcf 's/uart_tx/uart_ty/'
expect 'port probe[5] has no pin' icebreaker top.v 's/\[4:0\] probe /[5:0] probe /'
expect "pin named '5'" icebreaker pins.pcf 's/^set_io uart_tx 9/set_io uart_tx 5/'
expect "pin named 'A12'" hx8k_b_evn pins.pcf 's/T7 /A12/'
expect "'Z9', which does not exist" ulx3s_25f pins.lpf 's/"G2"/"Z9"/'
expect 'port led_n has no pin' colorlight_i5 pins.lpf '/COMP "led_n"/d'
expect 'Pin 99 not found' tang_nano_20k pins.cst 's/"clk" 4;/"clk" 99;/'

# Swapped ends of a link, links in each other's place, and a free pin of a connector that has become a probe.
expect 'east has not the pins and the gender' icebreaker pins.pcf \
    's/line_out\[0\] 3 /line_out[0] 46 /; s/line_in\[0\] 46 /line_in[0] 3 /'
expect 'west has not the pins and the gender' hx8k_b_evn pins.pcf 's/_\([a-z]*\)\[1\]/_\1[9]/; s/_\([a-z]*\)\[2\]/_\1[1]/
    s/_\([a-z]*\)\[9\]/_\1[2]/'
expect 'probe[0] 44 is a free pin of the connector of east' icebreaker pins.pcf 's/^set_io probe\[0\] 27/set_io probe[0] 44/'
