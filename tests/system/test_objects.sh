#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# In a fresh tree each object is a goal that builds: a header that is not in the tree is made before the object.
# needs only: nothing
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/work.bash
source tests/work.bash
unset MAKEFLAGS MAKELEVEL MFLAGS

# made_headers SOURCE: those that it includes, and that are not in the tree.
made_headers() {
    local name
    gcc -M -MG -Ihw/protocol -Ifirmware -Isim -Ihost-tools -Itests "$1" 2>>"$work/errors" | tr -s ' \\' '\n' |
        while read -r name; do
            case $name in
                *.h) [ -e "$name" ] || [ -e "$(dirname "$1")/$name" ] || basename "$name" ;;
            esac
        done
}

count=0
while read -r source; do
    for header in $(made_headers "$source"); do
        for kind in objects sanitized; do
            make -n BUILD="$work/build" "$work/build/$kind/${source%.c}.o" >"$work/said" 2>&1 ||
                fail "$source: $(cat "$work/said")"
            sed '$d' "$work/said" | grep "${header%.h}" >"$work/making" || fail "$kind of $source: nothing makes $header before"
            count=$((count + 1))
        done
    done
done < <(git ls-files 'firmware/*.c' 'sim/*.c' 'host-tools/libpostroad/*.c' 'host-tools/cli/*.c' 'host-tools/daemon/*.c' \
    'host-tools/loader/*.c' 'host-tools/testbed/*.c' 'host-tools/postroad/*.c' |
    grep -v '^firmware/\(small\|boot\)/\|^sim/ranks/mpi_') # other flags, or mpicc's
[ $count -gt 20 ] || fail "only $count headers were found that are made"
verdict test_objects
