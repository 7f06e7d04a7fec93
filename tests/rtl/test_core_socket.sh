#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Both cores, each in a whole site, run tests/rtl/core_socket/program.c: RAM, UART, timer, traps, NI_WAIT, finisher.
# SEED: stalls of the console.
# reads: hw
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build} seed=${SEED:-1}
out=$build/tests/rtl/core_socket
cores="${CPU_VEXRISCV:-$build/venv/share/vexriscv/VexRiscv_Min.v} $(ls "${CPU_SERV:-$build/venv/share/serv}"/serv_*.v)"
cross=${CROSS:-riscv64-unknown-elf-}
mkdir -p "$out"

"${cross}gcc" -march=rv32i -misa-spec=2.2 -mabi=ilp32 -mcmodel=medany -std=gnu11 -Os -Wall -Wextra -Werror -nostdlib \
    -ffreestanding -Ihw/protocol -T tests/rtl/core_socket/program.ld -o "$out/program.elf" \
    tests/rtl/core_socket/program.c
"${cross}objcopy" -O binary "$out/program.elf" "$out/program.bin"
truncate -s 16384 "$out/program.bin"
od -An -v -tx4 -w4 "$out/program.bin" > "$out/program.hex"

failed=0
for core in vexriscv serv; do
    # shellcheck disable=SC2086
    "${IVERILOG:-iverilog}" -g2005 -DSERV_CLEAR_RAM -Ihw/protocol -Ihw/cutthrough -s bench \
        -Pbench.CPU="\"$core\"" -o "$out/$core.vvp" \
        tests/rtl/core_socket/bench.v hw/mesh/site.v hw/soc/*.v hw/common/*.v hw/cutthrough/*.v $cores
    verdict=$(vvp -n "$out/$core.vvp" +seed="$seed" +firmware="$out/program.hex" )
    echo "$core: $verdict"
    grep -q '^PASS' <<< "$verdict" || failed=1
done
[ $failed = 0 ] || echo "replay: SEED=$seed tests/rtl/test_core_socket.sh"
exit $failed
