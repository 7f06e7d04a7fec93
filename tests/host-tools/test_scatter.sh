#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The example application `scatter`, built by its own Makefile outside of the tree: one multicast, of which each target works on
# the slice that its target_info names, as firmware/README.md shows it.
# needs: firmware-library
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash scatter
cp -rL firmware/apps/scatter "$directory/scatter"
expect 0 '' make -C "$directory/scatter" PKG_CONFIG_PATH="$PWD/build/pkgconfig"
expect 0 '^up:' $postroad up hw/mesh/grid-4x4.mesh --nodes core:1,2,7,native
expect 0 'loaded: sites 1-2,7' $postroad load 1,2,7 "$directory/scatter/scatter.elf"
$postroad listen 0 --count 3 --timeout 60 >"$directory/heard" 2>"$directory/listen" &
listener=$!
await "$directory/listen" 'listening at 1 site'
expect 0 'delivered' $postroad send 1,2,7 --handler 2 --data words:1,2,3,4,5,6,7,8,9 --info 1:0,3 --info 2:3,4 --info 7:7,2
wait "$listener" || fault "not three answers: $(cat "$directory/heard" "$directory/listen")"
for answer in 'site 0: from 1 .*words:0x6' 'site 0: from 2 .*words:0x16' 'site 0: from 7 .*words:0x11'; do
    grep -q "$answer" "$directory/heard" || fault "nothing like '$answer': $(cat "$directory/heard")"
done
expect 0 '' $postroad down
echo "$faults faults"
[ "$faults" = 0 ]
