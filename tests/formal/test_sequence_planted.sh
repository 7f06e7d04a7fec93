#!/bin/bash
# SPDX-License-Identifier: ISC
# test_sequence_numbers.c can fail: each bug below, planted in a copy of the firmware's duplicate_filter.c and .h, is found.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mkdir -p "$scratch/operator"

# bug FILE SED-SCRIPT
bug() {
    fault_start
    cp firmware/operator/*.h firmware/operator/duplicate_filter.c "$scratch/operator"
    sed -i "$2" "$scratch/operator/$1"
    if diff -q "firmware/operator/$1" "$scratch/operator/$1" >/dev/null; then echo "plant does not apply: $2"; exit 1; fi
    gcc -std=c11 -O1 -w -Ihw/protocol -I"$scratch" -Ifirmware -Ibuild/firmware/include -Itests -o "$scratch/test" \
        tests/formal/test_sequence_numbers.c tests/check.c \
        "$scratch/operator/duplicate_filter.c"
    if "$scratch/test" >/dev/null 2>&1; then echo "not found: $1: $2"; exit 1; fi
    fault_result caught O8 "$1: $2" test_sequence_numbers
    echo "found: $1: $2"
}
bug duplicate_filter.c 's/(int16_t)(sequence - (uint16_t)peer->highest);/(int16_t)((sequence - (uint16_t)peer->highest) << 1) \/ 2;/'
bug duplicate_filter.c 's/ahead > 0)/ahead >= 0)/'
bug duplicate_filter.c 's/if (ahead < -PR_PEER_SPAN)/if (ahead < -PR_PEER_SPAN - 1)/'
bug duplicate_filter.c 's/if (ahead < -PR_PEER_SPAN)/if (ahead <= -PR_PEER_SPAN)/'
bug duplicate_filter.c 's/ahead > PR_PEER_SPAN ? 0/ahead >= PR_PEER_SPAN ? 0/'
bug duplicate_filter.c 's/peer->received << 1 | 1/peer->received << 1/'
bug duplicate_filter.c 's/peer->highest += (uint32_t)ahead;/peer->highest = sequence;/'
bug duplicate_filter.c 's/peer->highest = base - 1;/peer->highest = base;/'
bug duplicate_filter.c 's/peer->received = UINT32_MAX;/peer->received = 0;/'
bug duplicate_filter.h 's/(int16_t)(epoch - than) > 0/(uint16_t)(epoch - than) > 0/'
bug duplicate_filter.h 's/(int16_t)(epoch - than) > 0/epoch > than/'
bug duplicate_filter.h 's/(int16_t)(epoch - than) > 0/(int8_t)((epoch - than) << 3) > 0/'
