#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad flash` of boards without a boot program: each board's own firmware and site are put into the real bitstream, and what
# is in the flash then is what test_bitstream_mesh.sh boots (boards/make_testbed). USB and programmers are imitated; no
# node answers.
# usage: test_flash_bitstream.sh
# needs: build/bitstream/hx8k_b_evn/grid-2x2/report build/postroad build/make_boot_image build/tests/host-tools/imitate
# needs: build/tests/host-tools/real_ttys.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/flash_desk.bash
source tests/host-tools/flash_desk.bash flash-bitstream

mesh=$PWD/hw/mesh/grid-2x2.mesh
firmware=$PWD/build/firmware/small-receiver.elf
bitstream=$PWD/build/bitstream/hx8k_b_evn/grid-2x2/top.bin

boards_on_desk hx8k_b_evn 0403:6010 2x2 4 1
sed -i "s|^mesh = .*|mesh = $mesh\nfirmware = $firmware|; s|^bitstream = .*|bitstream = $bitstream|" "$desk/testbed.ini"
flash 5 --hello 1
in_output err 'b3: waits for the node: no hello within 1 s'
boards/make_testbed hx8k_b_evn "$mesh" "$firmware" "$desk/simulated" >/dev/null || fault 'make_testbed'
for site in 0 1 2 3; do
    "$desk/bin/iceprog" -d "d:001/$(printf '%03d' $((site + 8)))" -I A -R "$(stat -c %s "$bitstream")" "$desk/read" \
        >/dev/null 2>&1 || fault "iceprog does not read board $site"
    cmp "$desk/read" "$desk/simulated/site-$site.bin" || fault "board $site has another bitstream"
    rm -f "$desk/read"
done
calls=$(calls_of 1)
flash 5 --hello 1
[ $(($(calls_of 1) - calls)) = 1 ] || fault 'a board that is right was written again'
[ $faults = 0 ] && echo 'all good'
[ $faults = 0 ]
