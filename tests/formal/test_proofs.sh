#!/bin/bash
# The leaf modules are proved; and a proof can fail: each of the planted bugs below is found.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash

tests/formal/prove net_input 3 -set LINK_WIDTH 5
tests/formal/prove net_output 3 -set WORD_WIDTH 2
tests/formal/prove net_output 3 -set WORD_WIDTH 2 -set TAG_WIDTH 4
tests/formal/prove fifo_buffer 3 -set WORD_WIDTH 1 -set DEPTH 4 -set TAG_WIDTH 4
tests/formal/prove round_robin 8 -set N 4
tests/formal/prove ram_arbiter 6

# bug MODULE DEPTH "PARAMETERS" FILE SED-SCRIPT: the proof of a copy with the edit must fail.
planted=build/formal/planted
bug() {
    fault_start
    rm -rf "$planted" && mkdir -p "$planted" && cp -r hw/common hw/cutthrough hw/protocol hw/soc "$planted"
    sed -i "$5" "$planted/$4"
    if diff -q "hw/$4" "$planted/$4" > /dev/null; then echo "plant does not apply: $5"; exit 1; fi
    # shellcheck disable=SC2086
    if tests/formal/prove -d "$planted" "$1" "$2" $3 > /dev/null 2>&1; then echo "not found: $4: $5"; exit 1; fi
    fault_result caught - "$4: $5" "proof of $1"
    echo "found: $4: $5"
}
small_fifo="-set WORD_WIDTH 1 -set DEPTH 4"
bug net_input 3 "-set LINK_WIDTH 5" cutthrough/net_input.v 's/word_present \&\& !taken;/1'"'"'b0;/'
bug net_input 3 "-set LINK_WIDTH 5" cutthrough/net_input.v 's/skid <= word;/skid <= link;/'
bug net_output 3 "-set WORD_WIDTH 2" cutthrough/net_output.v 's/if (empties) link <=/link <=/'
bug net_output 3 "-set WORD_WIDTH 2" cutthrough/net_output.v 's/owes_abort <= owed \&\& !empties;/owes_abort <= 1'"'"'b0;/'
bug fifo_buffer 3 "$small_fifo" cutthrough/fifo_buffer.v 's/wire write   = accept \&\& !bypass;/wire write = accept;/'
bug fifo_buffer 3 "$small_fifo" cutthrough/fifo_buffer.v 's/ \&\& tag != `POSTROAD_TAG_NULL_TARGET;/;/'
bug round_robin 8 "-set N 4" common/round_robin.v 's/behind <= ~(grant.*;/behind <= grant;/'
bug ram_arbiter 6 "" soc/ram_arbiter.v 's/last <= LAST_CORE;/last <= LAST_SEND;/'
