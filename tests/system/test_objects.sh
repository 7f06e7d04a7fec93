#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# In a fresh tree each object is a goal that builds: a header that is not in the tree is made before the object. No goal's
# prerequisite is a variable that a later file sets, for make would take it for empty.
# needs only: nothing
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/work.bash
source tests/work.bash
unset MAKEFLAGS MAKELEVEL MFLAGS

sources() {
    git ls-files 'firmware/*.c' 'sim/*.c' 'host-tools/libpostroad/*.c' 'host-tools/cli/*.c' 'host-tools/daemon/*.c' \
        'host-tools/loader/*.c' 'host-tools/testbed/*.c' 'host-tools/postroad/*.c' |
        grep -v '^firmware/\(small\|boot\)/\|^sim/ranks/mpi_' # other flags, or mpicc's
}

# A line for each source and each header that it includes and the tree has not. Those of the system are not read.
sources | xargs gcc -M -MG -nostdinc -Ihw/protocol -Ifirmware -Isim -Ihost-tools 2>"$work/errors" |
    sed -e ':a' -e '/\\$/N; s/\\\n//; ta' | awk '{ for (k = 3; k <= NF; k++) if ($k ~ /\.h$/) print $2, $k }' >"$work/headers"
cut -d ' ' -f 2 "$work/headers" | sort -u | while read -r header; do
    [ -e "$header" ] || echo "#include <$header>" | gcc -E - >/dev/null 2>&1 || echo "$header"
done >"$work/made"

declare -A seen=()
while read -r source header; do
    place=$(dirname "$source")/$header # one of a folder stands for all
    [ -z "${seen[$place]:-}" ] || continue
    seen[$place]=yes
    for kind in objects sanitized; do
        make -n BUILD="$work/build" "$work/build/$kind/${source%.c}.o" >"$work/said" 2>&1 || fail "$source: $(cat "$work/said")"
        sed '$d' "$work/said" | grep "${header%.h}" >"$work/making" || fail "$kind of $source: nothing makes $header before"
    done
done < <(grep -F -f <(sed 's/^/ /' "$work/made") "$work/headers")
[ ${#seen[@]} -gt 4 ] || fail "headers that are made were found in ${#seen[@]} folders only: $(cat "$work/made")"

# Goals are built with options of the user, and a folder of tests need not have an archive of its own.
if make --warn-undefined-variables -n help 2>&1 | grep 'undefined variable' |
    grep -vE "Makefile:|'TESTS_ARCHIVES_" >"$work/undefined"; then fail "$(cat "$work/undefined")"; fi
verdict test_objects
