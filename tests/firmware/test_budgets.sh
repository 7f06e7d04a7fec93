#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Text and RAM budgets are build errors that name themselves, and the image is what $readmemh expects.
set -euo pipefail
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d "${TMPDIR:-/tmp}/budgets.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "$1" >&2
    exit 1
}

build() {
    make --no-print-directory BUILD="$scratch" "$@" "$scratch/firmware/node.hex" >"$scratch/log" 2>&1
}

build || { cat "$scratch/log"; fail "the image does not build"; }
[ "$(grep -Evc '^[0-9a-f]{8}$' "$scratch/firmware/node.hex")" -eq 0 ] || fail "node.hex: not one 32-bit word a line"
entry=$(riscv64-unknown-elf-objdump -f "$scratch/firmware/node.elf" | sed -n 's/^start address //p')
[ "$entry" = 0x80000000 ] || fail "the image starts at $entry, the cores at 0x80000000"
words=$(wc -l <"$scratch/firmware/node.hex")
text=$(riscv64-unknown-elf-size "$scratch/firmware/node.elf" | awk 'NR == 2 { print $1 + $2 }')
rest=$((words * 4 - text))
if [ $rest -lt 0 ] || [ $rest -ge 64 ]; then fail "node.hex: $words words for $text bytes"; fi

for budget in TEXT_BUDGET=8192:flash RAM_BUDGET=16384:ram; do
    if build "${budget%:*}"; then fail "builds with ${budget%:*}"; fi
    grep -q "region .${budget#*:}. overflowed" "$scratch/log" || { cat "$scratch/log"; fail "${budget%:*}: no clear error"; }
    [ ! -e "$scratch/firmware/node.elf" ] || fail "${budget%:*}: an image was left behind"
done

build POOL_SIZE=8 RAM_BUDGET=16384 || fail "a pool of 8 buffers does not fit 16 KB"
for symbol in malloc printf; do
    if grep -qw "$symbol" <(riscv64-unknown-elf-nm "$scratch/firmware/node.elf"); then fail "the image has $symbol"; fi
done
