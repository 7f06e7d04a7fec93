#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Text and RAM budgets are build errors that name themselves, no stack is where the boot program works, and the image is what
# $readmemh expects.
# needs: firmware-library
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/tools.bash
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

# No stack reaches the end of RAM, where the boot program works: not in this tree, and not outside of it.
reserved='the stack of an image has to end below the bytes at the end of RAM in which the boot program works'
if build RAM_BUDGET=28160; then fail 'a stack where the boot program works'; fi
grep -q "$reserved" "$scratch/log" || { cat "$scratch/log"; fail "no clear error about the boot program's bytes"; }
read -ra flags < <(PKG_CONFIG_PATH=build/pkgconfig pkg-config --cflags --libs postroad-firmware)
outside() {
    riscv64-unknown-elf-gcc -o "$scratch/echo.elf" firmware/apps/echo/main.c "${flags[@]}" "$@" >"$scratch/log" 2>&1
}
outside || { cat "$scratch/log"; fail 'an application outside of the tree does not link'; }
stack=$(riscv64-unknown-elf-nm "$scratch/echo.elf" | sed -n 's/ . __stack$//p')
[[ -n $stack && ! $stack > 8000f700 ]] || fail "the stack of an application ends at $stack, above 8000f700"
if outside -Wl,--defsym=__ram_budget=26624; then fail 'an application whose stack is where the boot program works'; fi
grep -q "$reserved" "$scratch/log" || { cat "$scratch/log"; fail "no clear error about the boot program's bytes"; }

build POOL_SIZE=8 RAM_BUDGET=16384 || fail "a pool of 8 buffers does not fit 16 KB"
for symbol in malloc printf; do
    if grep -qw "$symbol" <(riscv64-unknown-elf-nm "$scratch/firmware/node.elf"); then fail "the image has $symbol"; fi
done
