#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# tests/system/check_rows names the place of a row of each kind that nobody uses, in a small tree of its own, and lets pass what
# is used. test_lint.sh has it find nothing in the real one.
set -euo pipefail
cd "$(dirname "$0")/../.."

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
git -C "$tree" init --quiet

# put FILE CONTENT
put() {
    mkdir -p "$(dirname "$tree/$1")"
    printf "$2" >"$tree/$1"
}

check() {
    git -C "$tree" add .
    "$tree/tests/system/check_rows" 2>&1
}

fault() {
    echo "FAULT: $1:"
    echo "$2"
    exit 1
}

mkdir -p "$tree/tests/system"
cp tests/system/check_rows "$tree/tests/system/"
put tests/system/unused_rows 'goal clean people know it\n'
put host-tools/postroad/verbs.def 'VERB(up)\nVERB(sim)\n'
put host-tools/postroad/up.c \
    'static const struct option_row rows[] = {\n    {.name = "hello", FIELD(struct up, hello)},\n};\nx->hello;\n'
put host-tools/postroad/sim_options.c 'const struct option_row sim_option_rows[] = {\n    {.name = "load"},\n};\n'
put host-tools/cli/options.c '    struct option_row row;\n    {.name = "json",\n};\n'
put host-tools/tap/counters.def 'COUNTER(unheard, "frames")\n'
put host-tools/tap/lan.c 'count(TAP_COUNTER_unheard);\n'
put sim/mesh/mesh_keys.c '    [KEY_SIZE] = {"mesh", "size", KEY_IS_SIZE},\n'
put sim/board/board_conf.c '    {"board", "title", FIELD(title), 0, 0, NULL},\n'
put sim/board/title.c 'x.title;\n'
put sim/board/testbed_parse.c '    {"oldest", KEY_NUMBER, 0},\n'
put hw/postman/discipline.ini '[key postman.phases]\n'
put hw/protocol/tags.ini '[tags]\ntitle = Tags\nprefix = TAG_\ndata = 2 data word\n'
put hw/protocol/registers.ini '[block ID]\n[register ID_SITE]\n[counter aborts]\n'
put hw/protocol/straps.ini '[strap topology]\n'
put hw/protocol/node_id_straps.vh '`POSTROAD_ID_TOPOLOGY: straps[`POSTROAD_STRAP_TOPOLOGY];\n'
put hw/common/gate.v '`POSTROAD_TAG_DATA `POSTROAD_ID_BASE `POSTROAD_ID_SITE `POSTROAD_COUNTER_ABORTS\n'
put Makefile '## all: builds\n## clean: removes\n'
put tests/rtl/gate_tb.v '$value$plusargs("glitches=%%d", x)\n'
put tests/rtl/test_gate.sh 'vvp gate +glitches=2\n'
put README.md 'make all\n`postroad up --hello --json`, `postroad sim --load 1`\n'
put tests/sim/grid.mesh 'size = 2x2\n'
put boards/b/board.conf 'title = B\n'
put tests/sim/test_keys.sh 'printf "[testbed]\\noldest = 3\\n"; up --set postman.phases=2\n'
output=$(check) || fault "rows that are used" "$output"

# expect FAULT FILE: it is found without this file, and with it nothing is.
expect() {
    local output
    mv "$tree/$2" "$tree/../${tree##*/}.kept"
    printf '\n' >"$tree/$2"
    if output=$(check) || ! grep -qxF -- "$1" <<<"$output"; then fault "not found: $1" "$output"; fi
    mv "$tree/../${tree##*/}.kept" "$tree/$2"
}
expect 'host-tools/postroad/up.c:2: nobody uses option up:--hello' README.md
expect 'host-tools/postroad/sim_options.c:2: nobody uses option sim:--load' README.md
expect 'host-tools/cli/options.c:2: nobody uses option -:--json' README.md
expect 'Makefile:1: nobody uses goal all' README.md
expect 'host-tools/tap/counters.def:1: nobody uses result unheard' host-tools/tap/lan.c
expect 'sim/mesh/mesh_keys.c:1: nobody uses key size' tests/sim/grid.mesh
expect 'sim/board/board_conf.c:1: nobody uses key title' boards/b/board.conf
expect 'sim/board/board_conf.c:1: nobody uses field title' sim/board/title.c
expect 'sim/board/testbed_parse.c:1: nobody uses key oldest' tests/sim/test_keys.sh
expect 'hw/postman/discipline.ini:1: nobody uses key phases' tests/sim/test_keys.sh
expect 'hw/protocol/tags.ini:4: nobody uses constant TAG_DATA' hw/common/gate.v
expect 'hw/protocol/registers.ini:1: nobody uses constant ID_BASE' hw/common/gate.v
expect 'hw/protocol/registers.ini:2: nobody uses constant ID_SITE' hw/common/gate.v
expect 'hw/protocol/registers.ini:3: nobody uses constant COUNTER_ABORTS' hw/common/gate.v
expect 'hw/protocol/straps.ini:1: nobody uses constant STRAP_TOPOLOGY' hw/protocol/node_id_straps.vh
expect 'tests/rtl/gate_tb.v:1: nobody uses plusarg +glitches' tests/rtl/test_gate.sh
expect 'Makefile:2: nobody uses goal clean' tests/system/unused_rows
# An option of a verb that only another verb is used with.
put README.md 'make all\n`postroad sim --hello --json --load 1`\n'
if output=$(check) || ! grep -q 'nobody uses option up:--hello' <<<"$output"; then fault "up --hello, of sim" "$output"; fi
put README.md 'make clean all\n`postroad up --hello --json`, `postroad sim --load 1`\n'
if output=$(check) || ! grep -q 'goal clean: somebody uses it' <<<"$output"; then fault "a reason too many" "$output"; fi

echo "PASS tests/system/check_rows"
