#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Site numbers that are cut to 16 bits, and other bugs of large meshes and of several ranks' records: test_large_mesh must find
# each. Two of them, and under `make faults` (or with ALL_PLANTED=1) all.
# time limit: 600 s
# needs: build/sim/ranks-mpi.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
survived=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
includes="-Ihw/protocol -Ifirmware -Ibuild/firmware/include -Isim -Ihost-tools"
libraries="-ledit -ludev -luv -lsodium -lcjson -linih -lzip -lminizip -lz -lbz2 -lm -ldl"

# build FILE: `postroad` with this file in the place of its object in an archive.
build() {
    # shellcheck disable=SC2086  # words
    "${CC:-gcc}" -std=c11 -O1 -w $includes -I"$(dirname "$2")" -o "$work/postroad" "$1" host-tools/postroad/main.c \
        build/libcli.a build/libpostroad.a build/libsim.a build/libfirmware.a $libraries
}

# plant FILE WHAT SCRIPT
plant() {
    local verdict=MISSED file=$work/${1##*/}
    fault_start
    sed -E "$3" "$1" >"$file"
    if cmp -s "$1" "$file"; then
        echo "FAIL: $1, $2: the script changes nothing"
    elif ! build "$file" "$1" >"$work/log" 2>&1; then
        echo "FAIL: $1, $2: does not build: $(grep -m 1 error "$work/log")"
    elif timeout 110 tests/functional/test_large_mesh.sh "$work/postroad" >"$work/log" 2>&1; then
        echo "FAIL: $1, $2: not caught"
    else
        echo "$1, $2: caught: $(grep -m 1 FAIL "$work/log" | cut -c 1-150)"
        verdict=caught
    fi
    [ $verdict = caught ] || survived=$((survived + 1))
    fault_result $verdict - "$1: $2" large_mesh
}

plant firmware/operator/receive.c 'the source of a packet has 16 bits' \
    's/header->source = data\[PR_HEADER_SOURCE\];/header->source = (uint16_t)data[PR_HEADER_SOURCE];/'
plant sim/experiment/replica.c 'content of another rank is not what has come' \
    's/ranks_send\(rank, delivery->data, /ranks_send(rank, (const uint32_t[16]){0}, /'
if [ -n "${ALL_PLANTED:-}" ]; then
    plant sim/workload/traffic.c 'drawn targets have 16 bits' \
        's/return \(uint32_t\)\(mesh->sites - 1 - site\);/return (uint16_t)(mesh->sites - 1 - site);/'
    plant sim/workload/trace_builder.c 'targets of a trace have 16 bits' 's/= \(uint32_t\)site;/= (uint16_t)site;/'
    plant sim/mesh/mesh_identity.c 'an operator has 16 bits of its number' 's/identity->site = site;/identity->site = (uint16_t)site;/'
    plant sim/experiment/experiment.c 'a rank has its own totals for those of all' 's/^        ranks_sum\(&totals->packets.*$/;/'
fi
[ $survived -eq 0 ] && echo PASS
exit $((survived > 0))
