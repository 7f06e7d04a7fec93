#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What `make install` gives to others: each header compiles alone, as C11 and as C++17; no header declares, and
# no archive exports, a name without the prefix pr_ or PR_ (guards: POSTROAD_); and
# each check finds a header or an object that breaks it.
# needs: firmware-library host-library
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

tree=$PWD
# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash headers
place=$directory/place
include=$place/include/postroad
unset MAKEFLAGS

# The firmware's headers are for a cross compiler, which the host's stands for: nothing is generated.
compiles() {
    gcc -std=c11 -Wall -Wextra -Werror -fsyntax-only -I"$include" -x c - <<<"#include \"$1\"" &&
        g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$include" -x c++ - <<<"#include \"$1\""
}

# names SOURCE: macros, functions, types, enumerators and variables that a source and all that it includes declare.
names() {
    gcc -std=c11 -I"$include" -dM -E "$1" | awk '{ sub(/\(.*/, "", $2); print $2 }'
    gcc -std=c11 -w -I"$include" -g -gdwarf-4 -fno-eliminate-unused-debug-types -fno-eliminate-unused-debug-symbols \
        -aux-info "$1.functions" -c -o "$1.o" "$1" || fault "$1: does not compile"
    sed -En 's/^[^(]*[ *]([A-Za-z_][A-Za-z_0-9]*) \(.*/\1/p' <(sed 's|/\*[^*]*\*/||g' "$1.functions")
    readelf --debug-dump=info "$1.o" | awk '
        /DW_TAG_/ { named = /DW_TAG_(enumerator|structure_type|union_type|enumeration_type|typedef|variable)/ }
        /DW_AT_name/ && named { print $NF; named = 0 }'
}

# What the headers declare that those of the system, on which they stand, do not.
foreign_names() {
    printf '#include "%s"\n' "$@" >"$directory/ours.c"
    (cd "$include" && cat "$@") | grep -h '^#include <' | sort -u >"$directory/theirs.c"
    comm -23 <(names "$directory/ours.c" | sort -u) <(names "$directory/theirs.c" | sort -u) |
        grep -Ev '^(pr_|PR_|POSTROAD_)'
}

# foreign_symbols NM ARCHIVE
foreign_symbols() {
    "$1" -g --defined-only "$2" 2>/dev/null | awk 'NF == 3 && $3 !~ /^pr_/ { print $3 }'
}

expect 0 "installed in $place" make --no-print-directory install PREFIX="$place"
mapfile -t headers < <(cd "$include" && find . -name '*.h' -printf '%P\n' | sort)
[ ${#headers[@]} -gt 25 ] || fault "only ${#headers[@]} headers"
for header in "${headers[@]}"; do
    compiles "$header" || fault "$header does not compile alone"
done
foreign=$(foreign_names "${headers[@]}")
[ -z "$foreign" ] || fault "declared without a prefix: $foreign"
for archive in nm:lib/libpostroad.a riscv64-unknown-elf-nm:lib/postroad/firmware/libpostroad.a; do
    [ "$("${archive%:*}" -g --defined-only "$place/${archive#*:}" 2>/dev/null | grep -c ' pr_')" -gt 50 ] ||
        fault "$archive: no symbols"
    foreign=$(foreign_symbols "${archive%:*}" "$place/${archive#*:}")
    [ -z "$foreign" ] || fault "${archive#*:} exports $foreign"
done
foreign=$(riscv64-unknown-elf-nm -g --defined-only "$place/lib/postroad/firmware/node.elf" |
    awk '$2 == "A" && $3 ~ /image_/ { print $3 }')
[ "$(grep -c '^pr_image_' <<<"$foreign")" = 5 ] || fault "limits of an image: $foreign"

# The checks can fail.
mkdir "$include/planted"
for line in '#define LIMIT 3' 'enum { LIMIT = 3 };' 'enum limit { PR_L };' 'struct limit { int pr_a; };' 'typedef int limit;' \
    'int limit(int pr_a);' 'static inline int limit(void) { return 3; }' 'extern int limit;'; do
    echo "$line" >"$include/planted/planted.h"
    foreign=$(foreign_names wire/cobs.h planted/planted.h)
    [ "$(tr A-Z a-z <<<"$foreign")" = limit ] || fault "not found: $line: $foreign"
done
echo 'struct pr_a { int operator; };' >"$include/planted/planted.h"
compiles planted/planted.h 2>/dev/null && fault "a name that C++ keeps for itself is not found"
echo 'static inline uint8_t pr_a(void) { return 0; }' >"$include/planted/planted.h"
compiles planted/planted.h 2>/dev/null && fault "a missing include is not found"
echo 'int limit(void) { return 3; }' | gcc -x c -c -o "$directory/planted.o" - &&
    ar rcs "$directory/planted.a" "$directory/planted.o"
[ "$(foreign_symbols nm "$directory/planted.a")" = limit ] || fault "a symbol without a prefix is not found"
[ "$PWD" = "$tree" ] && [ $faults = 0 ] && echo "all good"
[ $faults = 0 ]
