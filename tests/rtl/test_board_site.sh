#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# A board_site with its boot program, verilated, RAM full of noise: it starts from the flash, by serial line, and by packets after
# its core has crashed (by eager links), also when these are cut or damaged anywhere, and names what it refuses
# (tests/rtl/board_site/bench.cpp). SEED: noise.
# The signatures of a locked board are checked by tests/firmware/test_verifier.sh, and on the RTL by `make signed`.
# needs only: board-site-benches
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
out=build/tests/rtl/board_site
seed=${SEED:-1}
failed=0

# bench CORE SCENARIO
bench() {
    echo -n "$1, $2: "
    timeout 600 "$out/$1/bench" "$2" flash="$out/node.flash" serial="$out/${3:-node.serial}" next="$out/node.serial" \
        verifier=build/firmware/verifier.bin gather="$out/gather.flash" intruder="$out/intruder.bin" seed="$seed" \
        +firmware="$out/noise.hex" ||
        { echo "replay: SEED=$seed tests/rtl/test_board_site.sh"; failed=1; }
}

bench vexriscv flash
bench vexriscv locked
bench vexriscv lock
bench vexriscv intruder
bench vexriscv mark
# `make test` has one of these, drawn by SEED: they are a hundred million clocks.
others=('vexriscv serial' 'vexriscv mesh trap.serial' 'vexriscv crashing trap.serial' 'vexriscv bad' 'vexriscv supply'
    'vexriscv cut' 'vexriscv damaged' 'serv flash')
for other in "${!others[@]}"; do
    if [ -n "${LONG:-}" ] || [ "$other" -eq $((seed % ${#others[@]})) ]; then
        read -ra words <<<"${others[other]}"
        bench "${words[@]}"
    fi
done
[ $failed = 0 ] && echo PASS
exit $failed
