#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The same packets through a 2x2 of packed bitstreams and through the RTL mesh with board links: the same arrive, with the same
# contents, each once. Then through bitstreams with bit errors of 1e-4, cables that are unplugged, cores that are restarted and
# boards that lose their power: each packet arrives exactly once, or its sender reports it as failed.
# usage: test_bitstream_traffic.sh
# environment: SEED (1) chooses packets and faults; LONG: 100 and 150 packets in place of 40 and 60
# needs only: build/bitstream/hx8k_b_evn/grid-2x2/report build/tests/bitstream/traffic build/make_boot_image
# needs only: build/firmware/small-traffic.elf build/firmware/small-traffic.hex
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

source tests/work.bash
board=hx8k_b_evn
mesh=hw/mesh/grid-2x2.mesh
firmware=build/firmware/small-traffic.elf
traffic=build/tests/bitstream/traffic
seed=${SEED:-1}

# run NAME MESH PACKETS OPTION...: its deliveries in $work/NAME.
run() {
    timeout 400 $traffic "$2" "$3" "$seed" "${@:4}" >"$work/$1" || fail "$1: exit status $?"
}

boards/make_testbed $board $mesh $firmware "$work/testbed" || exit 1
packets=${LONG:+100}
packets=${packets:-40}
run rtl $mesh "$packets"
run bitstreams "$work/testbed/testbed.ini" "$packets"
[ "$(wc -l <"$work/rtl")" -eq "$packets" ] || fail "$(wc -l <"$work/rtl") packets of $packets arrive in RTL"
cmp "$work/rtl" "$work/bitstreams" || fail 'other packets arrive in bitstreams than in RTL'

tests/bitstream/traffic/epochs $board $mesh $firmware "$work/epochs" 6 || exit 1
run faults "$work/testbed/testbed.ini" $((packets * 3 / 2)) 3 0.0001 "$work/epochs"

verdict test_bitstream_traffic
