#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `make lint` is clean, and its own checks find what they are for. Verilog is looked at with one
# width of words and the tops of two boards, which SEED draws; with LONG all.
# needs: lint-objects build/generate_board build/generate_mesh
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/tools.bash

device=$(stat --format=%a:%t:%T /dev/null)
seed=${SEED:-1} drawn=()
boards=(boards/*/board.conf)
boards=("${boards[@]%/board.conf}")
boards=("${boards[@]#boards/}" "${boards[@]#boards/}")
[ -n "${LONG:-}" ] ||
    drawn=("HW_LINT_WIDTHS=$((seed % 2 ? 16 : 32))" "ALL_BOARDS=${boards[*]:seed % (${#boards[@]} / 2):2}")
make --no-print-directory lint "${drawn[@]}"
if [ "$(stat --format=%a:%t:%T /dev/null)" != "$device" ]; then
    echo "make lint changed /dev/null from $device to $(stat --format=%a:%t:%T /dev/null)"
    exit 1
fi

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
git -C "$tree" init --quiet
mkdir -p "$tree/tests/system" "$tree/hw/common" "$tree/extra" "$tree/host-tools"
cp tests/system/check_text "$tree/tests/system/"
mkdir "$tree/hw/cutthrough"
cp hw/cutthrough/rules.md hw/cutthrough/discipline.ini "$tree/hw/cutthrough/"
echo 'These places alone name one elsewhere: `hw/rules.mk`.' >"$tree/hw/README.md"
printf '# SPDX-License-Identifier: ISC\nsources = hw/cutthrough/*.v\n' >"$tree/hw/rules.mk"

# expect_fault FILE TEXT-OF-FAULT CONTENT: check_text must find this fault in a tree with this file.
expect_fault() {
    printf '%b' "$3" >"$tree/$1"
    git -C "$tree" add "$1"
    if output=$("$tree/tests/system/check_text" 2>&1) || ! grep -qF "$2" <<<"$output"; then
        echo "check_text did not find '$2' in $1:"
        echo "$output"
        exit 1
    fi
    git -C "$tree" rm --quiet --force --cached "$1"
    rm "$tree/$1"
}

"$tree/tests/system/check_text"
expect_fault hw/long.c 'longer than' "$(printf 'x%.0s' {1..131})\n"
expect_fault hw/tab.c 'a tab' 'int\tx;\n'
expect_fault hw/space.c 'white space at the end' 'int x; \n'
expect_fault hw/empty.c 'empty' ''
expect_fault hw/end.c 'no newline' 'int x;'
expect_fault extra/note.c 'top level' 'int x;\n'
expect_fault hw/common/gate.v 'default_nettype' 'module gate;\nendmodule\n'
expect_fault hw/common/gate.v 'named after' '`default_nettype none\nmodule door;\nendmodule\n'
expect_fault hw/common/rule.c 'M''99 is no rule' '/* M''99 */\n'
expect_fault hw/rules.mk 'goes to a device' 'lint:\n\tiverilog -o \0057dev/null site.v\n'
expect_fault hw/share "hw/share:2: numbers or letters in the user's locale" '#!/bin/sh\nawk "{ print $1 / 2 }" figures\n'
expect_fault hw/round "hw/round:3: numbers or letters in the user's locale" '#!/bin/bash\n\nprintf "%.1f" 1.25\n'
expect_fault hw/find "hw/find:2: numbers or letters in the user's locale" '#!/bin/sh\ngrep -q "^[a-z]" words\n'
expect_fault hw/named.c 'hw/named.c: names a discipline' 'char name[] = "cutthrough";\n'
expect_fault hw/README.md 'hw/README.md: boards/build names no discipline' 'These places alone name one: `boards/build`.\n'
echo 'These places alone name one elsewhere: `hw/rules.mk`.' >"$tree/hw/README.md"
expect_fault host-tools/past.c 'host-tools/past.c:1: printed past' 'int x = dprintf(STDERR_FILENO, y);\n'
expect_fault hw/bare.c 'hw/bare.c: no SPDX' 'int x;\n'
expect_fault hw/guard.h 'no guard POSTROAD_HW_GUARD_H' '#ifndef GUARD_H\n'
expect_fault hw/rules.mk 'hw/rules.mk:2: a link line' 'a: b\n\tgcc -Wl,--start''-group\n'
echo 'VERSION = 3.14.159' >"$tree/Makefile"
expect_fault hw/version.c 'hw/version.c:2: the version' 'int x;\nchar version[] = "3.14.159";\n'
