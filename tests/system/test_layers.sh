#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# tests/system/check_layers finds each way to use something of a later floor, and circles of files, and names the line; uses of
# lower floors it lets pass. check_unused finds what no other file uses. In a small tree of its own. test_lint.sh has them find
# nothing in the real one. The floors are those that hw/protocol/tree.md draws.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/tools.bash

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
git -C "$tree" init --quiet
mkdir -p "$tree/tests/system"
cp tests/system/check_layers tests/system/floors "$tree/tests/system/"

# put FILE CONTENT
put() {
    mkdir -p "$(dirname "$tree/$1")"
    printf '%b' "$2" >"$tree/$1"
    case $1 in
        *.c)
            mkdir -p "$(dirname "$tree/build/$1")"
            gcc -Ihw/protocol -I"$tree/firmware" -I"$tree/sim" -I"$tree/boards" -I"$tree/host-tools" \
                -c -o "$tree/build/${1%.c}.o" "$tree/$1" ;;
    esac
}

remove() {
    rm -f "$tree/$1" "$tree/build/${1%.c}.o"
}

check() {
    "$tree/tests/system/check_layers" nm build 2>&1
}

# expect FAULT FILE CONTENT: this line is among the faults of a tree with this file.
expect() {
    local output
    put "$2" "$3"
    if output=$(check) || ! grep -qF -- "$1" <<<"$output"; then
        echo "FAULT: check_layers did not find '$1':"
        echo "$output"
        exit 1
    fi
    remove "$2"
}

# What is used from above, and a file that uses all of it as it may.
put firmware/wire/cobs.h 'int cobs(void);\n'
put firmware/wire/cobs.c '#include "wire/cobs.h"\nint cobs(void) { return 1; }\n'
put sim/mesh/mesh.h 'int mesh(void);\n'
put sim/mesh/mesh.c '#include "wire/cobs.h"\nint mesh(void) { return cobs(); }\n'
put sim/qemu/site.h 'int site(void);\n'
put sim/rules.mk 'SIM_LIBRARY = $(BUILD)/libsim.a\nCPPFLAGS = -Ifirmware -Isim\n'
put boards/parameters/widths.h 'int widths(void);\n'
put boards/parameters/widths.c '#include "parameters/widths.h"\n#include "mesh/mesh.h"\nint widths(void) { return mesh(); }\n'
put boards/build '#!/bin/sh\n. hw/mesh/tools.bash # not host-tools/cli/tool\ncat host-tools/setup/fpga_requirements.txt\n'
put boards/board/top.v 'module top;\n    site site (.clk(clk));\nendmodule\n'
put sim/board/board_conf.c 'const char *text = "expected a folder of boards/, or see boards/README.md";\n'
put host-tools/cli/report.h 'int x;\n'
put host-tools/cli/tool '#!/bin/sh\n. sim/mesh/mesh.bash # not tests/run\n'
put hw/common/gate.v 'module gate;\nendmodule\n'
put hw/mesh/site.v 'module site; // sim/mesh\n    gate gate (.clk(clk));\nendmodule\n'
put firmware/operator/send.c \
    '/* As sim/mesh/mesh.h\n * and tests/run */\n#include "wire/cobs.h"\nint send(void) { return cobs(); }\n'
check

later=', which is of a later floor:'
expect "up.c:3: includes mesh/mesh.h$later sim/mesh" firmware/operator/up.c '/* mesh\n */\n#include "mesh/mesh.h"\n'
expect "up.h:1: includes mesh/mesh.h$later sim/mesh" firmware/operator/up.h '#include "mesh/mesh.h"\n'
expect "up.h:1: includes qemu/site.h$later sim/qemu" sim/network_interface/up.h '#include "qemu/site.h"\n'
expect "beside.h:1: includes qemu/site.h$later sim/qemu" sim/simulation/beside.h '#include "qemu/site.h"\n'
expect "up.c:1: names sim/mesh/up$later sim/mesh" firmware/wire/up.c 'const char *path = "sim/mesh/up";\n'
expect "rules.mk:2: uses \$(SIM_LIBRARY)$later sim" firmware/rules.mk 'x: y\nprogram: $(SIM_LIBRARY)\n'
expect "rules.mk:1: links \$(BUILD)/libsim.a$later sim" firmware/rules.mk 'program: a.o $(BUILD)/libsim.a\n'
expect "rules.mk:1: names host-tools$later host-tools" sim/rules.mk 'CPPFLAGS = -Isim -Ihost-tools\n'
put sim/rules.mk 'SIM_LIBRARY = $(BUILD)/libsim.a\n'
expect "measure:2: names tests/run.bash$later tests" hw/mesh/measure '#!/bin/sh\n. tests/run.bash\n'
expect "low.v:2: has an instance of gate$later hw/common" hw/protocol/low.v \
    'module low;\n    gate gate (.clk(clk));\nendmodule\n'
expect "top.v:1: names sim/top.vh$later sim" hw/mesh/top.v '`include "sim/top.vh"\n'

# boards/ is between sim and host-tools.
expect "file_error.c:1: includes cli/report.h$later host-tools/cli" boards/parameters/file_error.c '#include "cli/report.h"\n'
expect "make:2: names host-tools/cli/tool$later host-tools/cli" boards/make '#!/bin/sh\nhost-tools/cli/tool\n'
expect "up.h:1: includes parameters/widths.h$later boards" sim/mesh/up.h '#include "parameters/widths.h"\n'
expect "up.c:1: names boards/build$later boards" sim/experiment/up.c 'const char *script = "boards/build";\n'
expect "rules.mk:1: names boards$later boards" sim/rules.mk 'CPPFLAGS = -Isim -Iboards\n'
put sim/rules.mk 'SIM_LIBRARY = $(BUILD)/libsim.a\n'
expect "site.v:2: has an instance of top$later boards" hw/mesh/site.v 'module site;\n    top top (.clk(clk));\nendmodule\n'
put hw/mesh/site.v 'module site;\n    gate gate (.clk(clk));\nendmodule\n'
expect "up.c:4: uses widths of boards/parameters/widths.c$later boards" sim/experiment/up.c \
    'int widths(void);\nint up(void)\n{\n    return widths();\n}\n'

# One folder alone has a prefix of includes.
expect 'mesh.h:1: included as mesh/mesh.h, like the headers of host-tools/mesh/' host-tools/mesh/other.h 'int x;\n'
expect 'widths.h:1: included as parameters/widths.h, like the headers of' sim/parameters/widths.h 'int x;\n'
expect 'mesh.h:1: included as mesh/mesh.h, like sim/mesh/mesh.h' tests/mesh/mesh.h 'int x;\n'

expect "new.c:1: sim/other has no floor" sim/other/new.c 'int x;\n'

# What a declaration by hand would hide.
expect "up.c:4: uses mesh of sim/mesh/mesh.c$later sim/mesh" firmware/wire/up.c \
    'int mesh(void);\nint up(void)\n{\n    return mesh();\n}\n'
# circle FOLDER: two sources of it that call each other.
circle() {
    put "$1/left.c" 'int right(void);\nint left(void)\n{\n    return 1 + right();\n}\n'
    expect "$1/left.c:4: uses right of $1/right.c, in a circle" "$1/right.c" \
        'int left(void);\nint right(void) { return left(); }\n'
    remove "$1/left.c"
}
circle sim/mesh
circle tests/mesh
put sim/mesh/left.h '#include "mesh/right.h"\n'
expect 'left.h:1: includes mesh/right.h, in a circle' sim/mesh/right.h '#include "mesh/left.h"\n'
put hw/common/left.v 'module left;\n    right right (.clk(clk));\nendmodule\n'
expect 'left.v:2: has an instance of right, in a circle' hw/common/right.v \
    'module right;\n    left left (.clk(clk));\nendmodule\n'
put hw/common/right.v 'module right;\nendmodule\n'

# Each program fills a hook in as it likes, and a test stands in for a library.
put firmware/operator/round.c 'int hook(void);\nint round_of(void) { return hook(); }\n'
for app in echo sink; do
    put "firmware/apps/$app/main.c" 'int round_of(void);\nint hook(void) { return round_of(); }\n'
done
put sim/mesh/file.c 'int open(void);\nint file(void) { return open(); }\n'
put tests/mesh/open.c 'int file(void);\nint open(void) { return file(); }\n'
check

# Where there are objects, each source has one whose symbols are shown.
put sim/mesh/new.c 'int x;\n'
rm "$tree/build/sim/mesh/new.o"
expect 'sim/mesh/new.c:1: has no object' sim/mesh/newer.c 'int y;\n'
: >"$tree/build/sim/mesh/new.o"
expect 'sim/mesh/new.c:1: nm shows no symbols of its object' sim/mesh/newer.c 'int y;\n'
remove sim/mesh/new.c
check

# What no other file uses, by a reference or by its name: not a declaration, and not what is for programs outside.
rm -rf "$tree/sim" "$tree/firmware" "$tree/host-tools" "$tree/tests/mesh" "$tree/build"
cp tests/system/check_unused "$tree/tests/system/"
put sim/mesh/alone.h 'int alone(void);\nextern int counted;\n'
put sim/mesh/alone.c '#include "mesh/alone.h"\nint counted;\nint alone(void) { return alone() + counted; }\n'
put sim/mesh/user.c 'int named(void) { return 1; }\nint pr_user(void) { return named(); }\nint main(void) { return 0; }\n'
put tests/mesh/user.cpp 'const char *loaded = "named";\n'
expected='sim/mesh/alone.c:3: no other file uses alone: static, or not there
sim/mesh/alone.c:2: no other file uses counted: static, or not there'
output=$("$tree/tests/system/check_unused" nm build 2>&1) && { echo 'FAULT: check_unused finds nothing'; exit 1; }
[ "$(sort <<<"$output")" = "$(sort <<<"$expected")" ] || { echo "FAULT: check_unused says: $output"; exit 1; }
put tests/mesh/test_alone.c 'int alone(void);\nextern int counted;\nint main(void) { return alone() + counted; }\n'
"$tree/tests/system/check_unused" nm build

# hw/protocol/tree.md draws the floors, highest first, without sim/disciplines, which is no folder.
drawn() {
    awk '/^  \+----- / { top = $2; next }
        /^  \|/ {
            floor = ""
            for (i = 2; $i ~ /\/$/; i++) floor = floor " " top substr($i, 1, length($i) - 1)
            print floor == "" ? substr(top, 1, length(top) - 1) : substr(floor, 2)
        }' "$1" | tac
}
if ! difference=$(diff <(sed '/^#/d; s/ sim\/disciplines//' tests/system/floors) <(drawn hw/protocol/tree.md)); then
    echo "FAULT: hw/protocol/tree.md draws other floors (>) than tests/system/floors (<):"
    echo "$difference"
    exit 1
fi
echo PASS
