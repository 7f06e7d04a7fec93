#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# tests/system/check_layers finds each way to use something of a later floor, and circles of files, and names the line; uses of
# lower floors it lets pass. In a small tree of its own. test_lint.sh has it find nothing in the real one.
set -euo pipefail
cd "$(dirname "$0")/../.."

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
            gcc -Ihw/protocol -I"$tree/firmware" -I"$tree/sim" -c -o "$tree/build/${1%.c}.o" "$tree/$1" ;;
    esac
}

check() {
    "$tree/tests/system/check_layers" nm build 2>&1
}

# expect FAULT FILE CONTENT: this line is among the faults of a tree with this file.
expect() {
    local output
    put "$2" "$3"
    if output=$(check) || ! grep -qF -- "$1" <<<"$output"; then
        echo "check_layers did not find '$1':"
        echo "$output"
        exit 1
    fi
    rm "$tree/$2"
}

# What is used from above, and a file that uses all of it as it may.
put firmware/wire/cobs.h 'int cobs(void);\n'
put firmware/wire/cobs.c '#include "wire/cobs.h"\nint cobs(void) { return 1; }\n'
put sim/model/mesh.h 'int mesh(void);\n'
put sim/model/mesh.c '#include "wire/cobs.h"\nint mesh(void) { return cobs(); }\n'
put sim/qemu/site.h 'int site(void);\n'
put sim/rules.mk 'SIM_LIBRARY = $(BUILD)/libsim.a\nCPPFLAGS = -Ifirmware -Isim\n'
put host-tools/cli/tool '#!/bin/sh\n. sim/model/mesh.bash # not tests/run\n'
put hw/common/gate.v 'module gate;\nendmodule\n'
put hw/mesh/site.v 'module site; // sim/model\n    gate gate (.clk(clk));\nendmodule\n'
put firmware/operator/send.c \
    '/* As sim/model/mesh.h\n * and tests/run */\n#include "wire/cobs.h"\nint send(void) { return cobs(); }\n'
check

later=', which is of a later floor:'
expect "up.c:3: includes model/mesh.h$later sim/model" firmware/operator/up.c '/* mesh\n */\n#include "model/mesh.h"\n'
expect "up.h:1: includes model/mesh.h$later sim/model" firmware/operator/up.h '#include "model/mesh.h"\n'
expect "up.h:1: includes qemu/site.h$later sim/qemu" sim/network_interface/up.h '#include "qemu/site.h"\n'
expect "beside.h:1: includes qemu/site.h$later sim/qemu" sim/simulation/beside.h '#include "qemu/site.h"\n'
expect "up.c:1: names sim/model/up$later sim/model" firmware/wire/up.c 'const char *path = "sim/model/up";\n'
expect "rules.mk:2: uses \$(SIM_LIBRARY)$later sim" firmware/rules.mk 'x: y\nprogram: $(SIM_LIBRARY)\n'
expect "rules.mk:1: links \$(BUILD)/libsim.a$later sim" firmware/rules.mk 'program: a.o $(BUILD)/libsim.a\n'
expect "rules.mk:1: names host-tools$later host-tools" sim/rules.mk 'CPPFLAGS = -Isim -Ihost-tools\n'
put sim/rules.mk 'SIM_LIBRARY = $(BUILD)/libsim.a\n'
expect "measure:2: names tests/run.bash$later tests" hw/mesh/measure '#!/bin/sh\n. tests/run.bash\n'
expect "low.v:2: has an instance of gate$later hw/common" hw/protocol/low.v \
    'module low;\n    gate gate (.clk(clk));\nendmodule\n'
expect "top.v:1: names sim/top.vh$later sim" hw/mesh/top.v '`include "sim/top.vh"\n'

expect "new.c:1: sim/other has no floor" sim/other/new.c 'int x;\n'

# What a declaration by hand would hide.
expect "up.c:4: uses mesh of sim/model/mesh.c$later sim/model" firmware/wire/up.c \
    'int mesh(void);\nint up(void)\n{\n    return mesh();\n}\n'
put sim/model/left.c 'int right(void);\nint left(void)\n{\n    return 1 + right();\n}\n'
expect 'left.c:4: uses right of sim/model/right.c, in a circle' sim/model/right.c \
    'int left(void);\nint right(void) { return left(); }\n'
check
echo PASS
