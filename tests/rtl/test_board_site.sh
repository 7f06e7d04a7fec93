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

# one_of SCENARIO...: `make test` has one of these, drawn by SEED.
one_of() {
    local scenarios=("$@") words
    [ -n "${LONG:-}" ] || scenarios=("${@:1 + seed % $#:1}")
    for words in "${scenarios[@]}"; do
        read -ra words <<<"$words"
        bench "${words[@]}"
    done
}

bench vexriscv flash
one_of 'vexriscv mark' 'vexriscv relay'
one_of 'vexriscv locked' 'vexriscv lock' 'vexriscv intruder'
one_of 'vexriscv serial' 'vexriscv bad' 'vexriscv mesh trap.serial' 'vexriscv crashing trap.serial' 'vexriscv supply' \
    'vexriscv cut' 'vexriscv damaged' 'serv flash'
[ $failed = 0 ] && echo PASS
exit $failed
