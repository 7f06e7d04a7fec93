#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Sites of a generated mesh are reset alone in the midst of traffic (tests/rtl/site_reset/bench.v). SEED: traffic and
# resets. Arguments go to the bench.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
seed=${SEED:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build/generate_mesh tests/rtl/site_reset/grid.mesh -o "$work/grid.v" --level fabric || exit 1

"${IVERILOG:-iverilog}" -g2005 -Ihw/protocol -Ihw/cutthrough -Itests/rtl -s bench -o "$work/bench.vvp" \
    -y hw/cutthrough -y hw/common -y hw/mesh tests/rtl/site_reset/bench.v "$work/grid.v" || exit 1
vvp -n "$work/bench.vvp" +seed="$seed" "$@" >"$work/log" 2>&1
if ! grep -q '^PASS' "$work/log"; then
    grep -m 5 'error:' "$work/log" || tail -n 3 "$work/log"
    echo "FAIL; replay: SEED=$seed tests/rtl/test_site_reset.sh"
    exit 1
fi
tail -n 2 "$work/log"
echo PASS
